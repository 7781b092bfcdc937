#include "detect/analyze/php/php_names.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "detect/core/word_list.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

// Names that neither prose nor other languages have.
constexpr auto kOwn = split_words([] {
  return "addcslashes addslashes bin2hex bzcompress bzflush bzopen bzread bzwrite checkdnsrr chgrp "
         "class_exists closedir closelog connection_aborted connection_status convert_cyr_string "
         "convert_uuencode ctype_alnum date_default_timezone_set debug_zval_refcount define_syslog_variables "
         "disk_free_space disk_total_space diskfreespace dns_check_record dns_get_record eio_busy "
         "error_get_last error_reporting escapeshellarg escapeshellcmd eval_hook exif_thumbnail "
         "extension_loaded ezmlm_hash fflush fgetcsv fileatime filectime filegroup fileinode filemtime "
         "fileowner fileperms filter_input filter_input_array filter_list filter_var filter_var_array flock "
         "fopen fpassthru fputcsv fputs fscanf fsockopen ftruncate func_get_arg func_get_args func_num_args "
         "function_exists fwrite gc_collect_cycles get_browser get_called_class get_cfg_var get_class "
         "get_class_methods get_class_vars get_declared_classes get_defined_vars get_extension_funcs "
         "get_headers get_html_translation_table get_include_path get_magic_quotes_gpc get_meta_tags "
         "get_object_vars get_parent_class get_resource_type getcwd getenv gethostbyaddr gethostbyname "
         "gethostbynamel gethostname getimagesize getlastmod getmxrr getmygid getmyinode getmypid getmyuid "
         "getprotobyname getrusage getservbyname getservbyport gettimeofday gmstrftime gzcompress gzencode "
         "gzfile gzopen gzpassthru gzread gzwrite hash_file hash_hmac hash_hmac_file hash_update_file "
         "header_remove headers_list headers_sent highlight_file highlight_string htmlentities "
         "htmlspecialchars htmlspecialchars_decode http_build_query ignore_user_abort image2wbmp "
         "imagecreatefromgd2 imagecreatefromgd2part imagecreatefromgif imagecreatefromjpeg "
         "imagecreatefrompng "
         "imagegd2 interface_exists iptcembed iptcparse is_callable is_executable is_numeric is_readable "
         "is_resource is_scalar is_uploaded_file is_writable is_writeable jdmonthname json_encode "
         "json_last_error lcfirst lcg_value lchgrp lchown leakmemory levenshtein linkinfo md5_file "
         "memory_get_peak_usage memory_get_usage metaphone method_exists money_format move_uploaded_file "
         "msg_get_queue msg_queue_exists msg_send mt_rand mt_srand mysql_query net_get_interfaces nl2br "
         "number_format opendir openlog parse_ini_file parse_ini_string parse_str parse_url password_hash "
         "password_verify pclose pfsockopen php_strip_whitespace phpcredits phpinfo phpversion print_r "
         "property_exists putenv quoted_printable_encode random_bytes random_int rawurlencode readdir "
         "readfile readgzfile realpath restore_error_handler restore_exception_handler restore_include_path "
         "rewinddir runkit_function_rename scandir set_include_path set_magic_quotes_runtime set_time_limit "
         "setproctitle sha1_file show_source similar_text simplexml_load_file simplexml_load_string soundex "
         "sscanf strftime strip_tags strptime substr_count substr_replace symlink sys_get_temp_dir "
         "sys_getloadavg syslog tempnam timezone_abbreviations_list timezone_name_from_abbr tmpfile "
         "token_get_all token_name trigger_error ucfirst ucwords uniqid urlencode user_error utf8_encode "
         "var_dump var_export vprintf vsprintf xml_parse xml_parser_create xmlwriter_open_uri zend_thread_id "
         "zend_version zip_entry_read zip_open zip_read";
});
// Of these, those that run what they are given,
constexpr auto kOwnRunning = split_words([] {
  return "array_diff_ukey array_filter array_map array_reduce array_udiff array_uintersect array_walk "
         "array_walk_recursive call_user_func call_user_func_array create_function expect_popen "
         "forward_static_call forward_static_call_array header_register_callback include_once iterator_apply "
         "mb_ereg_replace mb_send_mail ob_start passthru pcntl_exec popen preg_replace preg_replace_callback "
         "proc_open register_shutdown_function register_tick_function require_once session_set_save_handler "
         "set_error_handler set_exception_handler shell_exec spl_autoload_register ssh2_exec";
});
// and those that disguised code is decoded with.
constexpr auto kOwnDecoding = split_words([] {
  return "bzdecompress convert_uudecode gzdecode gzdeflate gzinflate gzuncompress hex2bin html_entity_decode "
         "json_decode quoted_printable_decode rawurldecode stripcslashes stripslashes strrev unserialize "
         "urldecode utf8_decode";
});
// Ordinary words too, or names of other languages' functions, in the same order.
constexpr auto kOrdinary = split_words([] {
  return "array basename ceil checkdate chmod chown compact constant copy count crc32 crypt current date "
         "define deg2rad die dir dirname each echo empty end exit explode extract fclose feof fgetc fgets "
         "file filesize filetype floor fprintf fread fseek fstat ftell ftok gettype glob header hypot intval "
         "is_dir is_file is_link isset key leak link list log lstat mail md5 mkdir mktime natsort next ord "
         "pathinfo pi prev print printf rand range readlink rename reset rewind rmdir round serialize "
         "session_start setcookie setlocale settype sha1 sizeof sleep sprintf srand stat strlen strpos "
         "strtolower strtotime strtoupper time touch trim umask unlink unpack usleep virtual";
});
constexpr std::string_view kOrdinaryRunning[] = {"assert",  "dl",     "eval",   "exec",   "include",
                                                 "require", "system", "uasort", "uksort", "usort"};
constexpr std::string_view kOrdinaryDecoding[] = {"chr", "implode", "pack", "str_replace", "strtr", "substr"};
// Neither.
constexpr std::string_view kDecoding[] = {"base64_decode",  "base_convert",    "file_get_contents",
                                          "mcrypt_decrypt", "openssl_decrypt", "str_rot13",
                                          "zlib_decode"};

constexpr std::size_t kOwnCount =
    std::size(kOwn.words) + std::size(kOwnRunning.words) + std::size(kOwnDecoding.words);

template <std::size_t N>
struct FlaggedFunctions {
  FlaggedWord words[N];
};

template <std::size_t N>
consteval FlaggedFunctions<N> flagged_functions() {
  FlaggedFunctions<N> out{};
  std::size_t size = 0;
  const auto append = [&](const auto& list, std::uint32_t flags) {
    for (const std::string_view name : list) out.words[size++] = {name, flags};
  };
  append(kOwn.words, kPhpOwn);
  append(kOwnRunning.words, kPhpOwn | kPhpRuns);
  append(kOwnDecoding.words, kPhpOwn | kPhpDecodes);
  append(kOrdinary.words, kPhpOrdinary);
  append(kOrdinaryRunning, kPhpOrdinary | kPhpRuns);
  append(kOrdinaryDecoding, kPhpOrdinary | kPhpDecodes);
  append(kDecoding, kPhpDecodes);
  return out;
}
constexpr WordMap kFunctions(
    flagged_functions<kOwnCount + std::size(kOrdinary.words) + std::size(kOrdinaryRunning) +
                      std::size(kOrdinaryDecoding) + std::size(kDecoding)>()
        .words);

constexpr std::array<std::string_view, kOwnCount> kOwnNames = [] {
  std::array<std::string_view, kOwnCount> out{};
  auto end = std::copy(std::begin(kOwn.words), std::end(kOwn.words), out.begin());
  end = std::copy(std::begin(kOwnRunning.words), std::end(kOwnRunning.words), end);
  std::copy(std::begin(kOwnDecoding.words), std::end(kOwnDecoding.words), end);
  return out;
}();

// Families of PHP's extensions that other languages' functions are not called after.
constexpr auto kFamilies = split_words([] {
  return "apache_ apcu_ array_ assert_ base64_ bson_ bzip2_ call_user_ ctype_ cubrid_ curl_ db2_ dba_ dbase_ "
         "dbplus_ debug_zval_ deflate_ dio_ dns_get_ dom_import_ eio_ enchant_ event_base_ exif_ fann_ "
         "fbsql_ "
         "fdf_ file_ finfo_ forward_static_ fribidi_ ftp_ function_ geoip_ get_current_ get_defined_ "
         "get_included_ get_loaded_ get_required_ gmp_ gnupg_ grapheme_ gupnp_ http_response_ ibase_ iconv_ "
         "id3_ idn_to_ ifx_ igbinary_ image_type_ imap_ inflate_ ingres_ ini_ inotify_ intl_ intlcal_ "
         "iterator_ kadm5_ ldap_ libxml_ lzf_ mailparse_ maxdb_ mb_ mcrypt_ memcache_ mhash_ mqseries_ "
         "msession_ mssql_ mysql_ mysqli_ mysqlnd_ ncurses_ newt_ nsapi_ numfmt_ ob_ oci_ odbc_ opcache_ "
         "openal_ openssl_ output_add_ output_reset_ ovrimos_ parsekit_ password_get_ pcntl_ pg_ php_ "
         "phpdbg_ "
         "posix_ preg_ proc_ pspell_ px_ radius_ rar_ readline_ readlink_ realpath_ recode_ resourcebundle_ "
         "rpm_ rrd_ runkit7_ runkit_ scoutapm_ sem_ session_ shm_ shmop_ simplexml_ snmp2_ snmp3_ snmp_ "
         "socket_ sodium_ solr_ spl_ sqlite_ sqlsrv_ ssdeep_ ssh2_ stats_ stomp_ str_ stream_ svn_ swoole_ "
         "sybase_ tcpwrap_ tidy_ trader_ transliterator_ udm_ uopz_ use_soap_ variant_ vpopmail_ wddx_ "
         "win32_ "
         "wincache_ xattr_ xdiff_ xhprof_ xml_set_ xmlrpc_ xmlwriter_ yaml_ yaz_ zend_ zlib_ zookeeper_";
});
constexpr WordSet kFamilySet(kFamilies.words);

constexpr WordSet kRequestVariables(split_words([] {
                                      return "_get _post _request _cookie _server _files _env _session "
                                             "globals http_raw_post_data http_get_vars "
                                             "http_post_vars http_cookie_vars http_server_vars "
                                             "http_post_files http_env_vars http_session_vars";
                                    }).words);

// The part of a directive's name before the dot.
constexpr auto kSectionNames = split_words([] {
  return "apc apcu arg_separator assert bcmath birdstep browscap cgi cli_server curl daemon date dba exif "
         "expect fastcgi fbsql ffi gd geoip highlight htscanner ibase ibm_db2 iconv igbinary imagick imap "
         "ingres intl isapi ldap mail mailparse maxdb mbstring mcrypt memcache memcached mime_magic msql "
         "mssql mysqli mysqlnd nsapi oci8 odbc odbtp opcache openssl pam pcntl pcre pdo pdo_odbc pfpro pgsql "
         "phar pspell runkit runkit7 sendmail session soap solr sqlite sqlite3 sqlsrv suhosin sybase sybct "
         "syslog tidy uopz uploadprogress url_rewriter user_ini wincache xdebug xhprof xmlrpc yaz zend zlib";
});
constexpr auto kDirectiveNames = split_words([] {
  return "allow_call_time_pass_reference allow_url_fopen allow_url_include allow_webdav_methods "
         "always_populate_raw_post_data asp_tags async_send auto_append_file auto_detect_line_endings "
         "auto_globals_jit auto_prepend_file browscap cache_directory child_terminate default_charset "
         "default_mimetype default_socket_timeout define_syslog_variables detect_unicode disable_classes "
         "disable_functions display_errors display_startup_errors doc_root docref_ext docref_root enable_dl "
         "enable_post_data_reading engine error_append_string error_include_args error_log error_log_mode "
         "error_prepend_string error_reporting exit_on_timeout expose_php extension extension_dir "
         "file_uploads gpc_order hard_timeout html_errors ignore_repeated_errors ignore_repeated_source "
         "ignore_user_abort implicit_flush include_path input_encoding internal_encoding last_modified "
         "log_errors log_errors_max_len magic_quotes_gpc magic_quotes_runtime magic_quotes_sybase "
         "max_execution_time max_file_uploads max_input_nesting_level max_input_time max_input_vars "
         "max_multipart_body_parts memory_limit open_basedir output_buffering output_encoding output_handler "
         "post_max_size precision realpath_cache_size realpath_cache_ttl register_argc_argv register_globals "
         "register_long_arrays report_memleaks report_zend_debug request_order safe_mode "
         "safe_mode_allowed_env_vars safe_mode_exec_dir safe_mode_gid safe_mode_include_dir "
         "safe_mode_protected_env_vars sendmail_from sendmail_path serialize_precision short_open_tag smtp "
         "smtp_port sys_temp_dir track_errors unserialize_callback_func unserialize_max_depth "
         "upload_max_filesize upload_tmp_dir user_agent user_dir variables_order windows_show_crt_warning "
         "xbithack xmlrpc_error_number xmlrpc_errors y2k_compliance zend_extension zend_extension_debug "
         "zend_extension_debug_ts zend_extension_ts";
});
constexpr WordSet kSections(kSectionNames.words);
constexpr WordSet kDirectives(kDirectiveNames.words);
constexpr auto kShared = split_words([] {
  return "browscap cache_directory detect_unicode display_errors doc_root engine error_log extension "
         "file_uploads input_encoding last_modified max_execution_time output_encoding precision smtp "
         "smtp_port user_agent user_dir mail. date. session. syslog. curl. com. http. filter. hash. mysql. "
         "sqlite. sqlite3. odbc. openssl. ldap. imap. soap. intl. memcache. memcached. phar. sendmail. "
         "highlight. daemon. gd. tidy. solr. pam.";
});
constexpr WordSet kSharedSet(kShared.words);

constexpr std::size_t kMaxNameBytes = 63;

// "array_map": its family is what stands before an underscore, and one of several may be meant.
bool in_family(std::string_view name) noexcept {
  if (name.size() > kMaxNameBytes) return false;
  for (std::size_t at = name.find('_'); at != std::string_view::npos && at + 2 < name.size();
       at = name.find('_', at + 1)) {
    const std::string_view prefix = name.substr(0, at + 1);
    if (kFamilySet.has(prefix)) return true;
  }
  return false;
}

constexpr auto kClassNames = split_words([] {
  return "reflectionfunction reflectionmethod reflectionclass closure ffi splfileobject spltempfileobject "
         "directoryiterator globiterator filesystemiterator simplexmlelement recursivedirectoryiterator "
         "soapclient imagick phardata";
});
constexpr WordSet kClasses(kClassNames.words);

}  // namespace

std::uint32_t php_function(std::string_view name) noexcept {
  const std::uint32_t flags = kFunctions.flags(name);
  if (flags != 0 && (flags & (kPhpOwn | kPhpOrdinary)) != 0) return flags;
  return in_family(name) ? flags | kPhpOwn : flags;
}

bool php_request_variable(std::string_view name) noexcept { return kRequestVariables.has(name); }

int php_directive(std::string_view name) noexcept {
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) {
    if (dot + 1 >= name.size()) return 0;
    if (kSharedSet.has(name.substr(0, dot + 1))) return 1;
    return kSections.has(name.substr(0, dot)) ? 2 : 0;
  }
  if (kSharedSet.has(name)) return 1;
  return kDirectives.has(name) ? 2 : 0;
}

bool php_class(std::string_view name) noexcept { return kClasses.has(name); }
std::span<const std::string_view> php_class_names() noexcept { return kClassNames.words; }

std::span<const std::string_view> php_own_names() noexcept { return kOwnNames; }
std::span<const std::string_view> php_directive_sections() noexcept { return kSectionNames.words; }
std::span<const std::string_view> php_directive_names() noexcept { return kDirectiveNames.words; }
std::span<const std::string_view> php_shared_directives() noexcept { return kShared.words; }

}  // namespace wafd::detect
