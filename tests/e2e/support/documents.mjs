// The pages of docs/ that are made from a running wafd.
import { configuration_page, metrics_page } from '../../../docs/pages.mjs';
import { run, wafdPath } from './processes.mjs';
import { request } from './wafd.mjs';

// With a target, so that the metrics of targets are there.
export async function pages_of(wafd) {
  const { id } = await wafd.addTarget({ name: 'of the documents', port: 9, transport: 'udp' });
  const metrics = await request(`${wafd.console}/metrics`, { headers: { Authorization: `Bearer ${wafd.token}` } });
  await wafd.api('DELETE', `/syslog/targets/${id}`);
  const defaults = await run(wafdPath, ['config', 'defaults']);
  return { 'configuration.md': configuration_page(defaults.stdout), 'metrics.md': metrics_page(metrics.text) };
}
