// Settings that an earlier version stored, as this one takes them: what it would refuse now is put right, and
// said.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace wafd::console {

// Changes the document of settings.json where an earlier version took more than parse_settings() does; what
// neither took is left for it to refuse. Hosts lose port, brackets and final dot, those that no request can
// have go, as do a host's and a list entry's second mention, and exceptions for a host that none can have; a
// target whose filter is wrong now is switched off, and so is a rule with an expression that takes too long
// to compile. One note for each, such as `sites[1].hosts[0]: "a.example:80" is now a.example`. Names and
// comments lose control and bidi characters. Nothing gets wider: no exception loses its condition. Sites from
// before `on_limit` keep passing what reaches a limit.
void bring_up_to_date(boost::json::object& document, std::vector<std::string>& notes);

}  // namespace wafd::console
