// wafd and the gateway with its plugin, in front of an application.
import { Gateway } from './gateway.mjs';
import { Wafd } from './wafd.mjs';

// The application listens on `port`. `site`: settings of the one site, `plugin`: of the plugin, `settings`: of wafd, where they are not the defaults.
export async function startFront(port, { site = {}, plugin = {}, settings = {} } = {}) {
  const wafd = await Wafd.start(settings);
  const front = { wafd, gateway: null, port: 0, stop: async () => void (await front.gateway?.stop(), await wafd.stop()) };
  try {
    await wafd.api('PUT', '/sites/0', site);
    front.gateway = await Gateway.start(port);
    const enabled = await front.gateway.enable({ host: '127.0.0.1', port: wafd.t1kPort, ...plugin });
    if (enabled.status >= 300) throw new Error(`plugin: ${enabled.text}`);
  } catch (error) {
    await front.stop();
    throw error;
  }
  front.port = front.gateway.proxyPort;
  return front;
}
