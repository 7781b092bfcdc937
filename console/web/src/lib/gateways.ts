// Configurations of gateways, as packaging/gateways has them, with this node's addresses filled in. Pure.
import apache from '../../../../packaging/gateways/apache/wafd.lua';
import apisix from '../../../../packaging/gateways/apisix.yaml';
import caddy from '../../../../packaging/gateways/caddy/Caddyfile';
import envoy_grpc from '../../../../packaging/gateways/envoy/grpc.yaml';
import envoy_http from '../../../../packaging/gateways/envoy/http.yaml';
import haproxy from '../../../../packaging/gateways/haproxy/haproxy.cfg';
import nginx_auth from '../../../../packaging/gateways/nginx-auth-request/forwarded.conf';
import nginx_lua from '../../../../packaging/gateways/nginx-lua/nginx.conf';
import nginx_mirror from '../../../../packaging/gateways/nginx-mirror/nginx.conf';
import traefik from '../../../../packaging/gateways/traefik.yaml';
import kong from '../../../../packaging/gateway-waf/examples/kong.yaml';

export type Listener = 'http' | 't1k' | 'spop' | 'envoy';
export interface Gateway { id: string; file: string; listener: Listener; text: string }

// Product names stay as they are in every language.
export const gateways: Gateway[] = [
  { id: 'kong', file: 'kong.yaml', listener: 't1k', text: kong },
  { id: 'nginx-auth-request', file: 'nginx.conf', listener: 'http', text: nginx_auth },
  { id: 'nginx-lua', file: 'nginx.conf', listener: 't1k', text: nginx_lua },
  { id: 'nginx-mirror', file: 'nginx.conf', listener: 'http', text: nginx_mirror },
  { id: 'haproxy', file: 'haproxy.cfg', listener: 'spop', text: haproxy },
  { id: 'apache', file: 'wafd.lua', listener: 't1k', text: apache },
  { id: 'envoy', file: 'envoy.yaml', listener: 'envoy', text: envoy_grpc },
  { id: 'envoy-http', file: 'envoy.yaml', listener: 'http', text: envoy_http },
  { id: 'traefik', file: 'traefik.yaml', listener: 'http', text: traefik },
  { id: 'caddy', file: 'Caddyfile', listener: 'http', text: caddy },
  { id: 'apisix', file: 'apisix.yaml', listener: 'http', text: apisix },
];

export interface Place { host: string; port: string }

// Where a listener is reached: one that listens everywhere, by the name under which this page is.
export function place_of(address: string, page_host: string): Place | undefined {
  const found = /^(.*):(\d+)$/.exec(address);
  if (!found) return undefined;
  const host = (found[1] as string).replace(/^\[(.*)\]$/, '$1');
  return { host: host === '0.0.0.0' || host === '::' || host === '' ? page_host : host, port: found[2] as string };
}

export function in_url({ host, port }: Place): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const default_ports: Record<Listener, string> = { t1k: '8700', http: '8701', spop: '8702', envoy: '8703' };

// The files name the default addresses, in the way of each gateway.
export function filled(gateway: Gateway, place: Place): string {
  const port = default_ports[gateway.listener];
  return gateway.text
    .replaceAll(`127.0.0.1:${port}`, in_url(place))
    .replaceAll(`host = "127.0.0.1", port = ${port}`, `host = "${place.host}", port = ${place.port}`)
    .replaceAll(`address: 127.0.0.1, port_value: ${port}`, `address: "${place.host}", port_value: ${place.port}`)
    .replaceAll(/\n *nodes:\n *- host: \S+\n *port: 8700/g, '')
    .replaceAll(/host: waf1\.internal\n( *)port: 8700/g, `host: "${place.host}"\n$1port: ${place.port}`);
}

// An attack that harms nobody, a comparison that is always true, asked of `/check` as a gateway does.
export function test_attack(place: Place): string {
  return `curl -i -H 'Host: shop.example' 'http://${in_url(place)}/check/item?id=1%27%20OR%20%271%27=%271'`;
}
