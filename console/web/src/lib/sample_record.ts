// An invented record for the preview while the ring is empty: the 58 members in their order. Addresses and names are those
// kept for documentation (RFC 5737, RFC 2606).
import type { AttackRecord } from '../api/types';

export function sample_record(node: string, now_ms: number): AttackRecord {
  const timestamp = Math.floor(now_ms / 1000);
  const human = new Date(now_ms).toISOString().slice(0, 19).replace('T', ' ');
  const rule = 'm_sqli/00000000000000000000000000000000';
  const payload = "1' OR '1'='1";
  return {
    scheme: 'https', src_ip: '192.0.2.7', src_port: 49152, socket_ip: '192.0.2.7', upstream_addr: '198.51.100.20', req_start_time: now_ms,
    rsp_start_time: null, req_end_time: now_ms, rsp_end_time: null, host: 'shop.example', method: 'GET', query_string: 'id=1%27%20OR%20%271%27=%271',
    event_id: '00000000000000000000000000000000', session: '', site_uuid: '0', site_url: 'https://shop.example/', req_detector_name: node,
    req_detect_time: 42, req_proxy_name: 'sample', req_rule_id: rule, req_location: 'query', req_payload: payload, req_decode_path: 'percent',
    req_rule_module: 'm_sqli', req_http_body_is_truncate: 0, rsp_http_body_is_truncate: 0, req_skynet_rule_id_list: [], http_body_is_abandoned: 0,
    country: '', province: '', city: '', timestamp, payload, location: 'query', rule_id: rule, decode_path: 'percent', cookie: '',
    user_agent: 'wafd-sample/1', referer: '', timestamp_human: human, resp_reason_phrase: '', module: 'm_sqli',
    reason: 'Sample event: no such request was made', proxy_name: 'sample', node, dest_port: 443, dest_ip: '198.51.100.20', urlpath: '/products',
    protocol: 'https', attack_type: 'sqli', risk_level: 'high', action: 'deny',
    req_header_raw: 'GET /products?id=1%27%20OR%20%271%27=%271 HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: wafd-sample/1\r\n\r\n', body: '',
    req_block_reason: 'web', req_attack_type: 'sqli', req_risk_level: 'high', req_action: 'deny',
  };
}
