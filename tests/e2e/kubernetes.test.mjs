// Files for Kubernetes: the chart, the manifests made of it and the plugin's, by the schemas of Kubernetes and of the Prometheus
// operator; that they fit each other; and the container's files.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';

import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { parse, parseAllDocuments } from 'yaml';

import { render, render_template, values_file } from '../../packaging/helm/render.mjs';
import { root, run, tempFolder, wafdPath } from './support/processes.mjs';

const schemas = { ConfigMap, Service, StatefulSet, PodDisruptionBudget, NetworkPolicy, ServiceMonitor };
const read = (file) => fs.readFileSync(path.join(root, file), 'utf8');
const documents = (text) => parseAllDocuments(text).map((one) => { assert.deepEqual(one.errors, []); return one.toJS(); });
const values = () => parse(fs.readFileSync(values_file, 'utf8'));
const of_kind = (all, kind) => all.filter((one) => one.kind === kind);
const manifests = documents(read('packaging/kubernetes/wafd.yaml'));
// As they are with the Prometheus operator.
const monitored = () => { const on = values(); on.serviceMonitor.enabled = true; return documents(render(on)); };
const set = of_kind(manifests, 'StatefulSet')[0];
const [container] = set.spec.template.spec.containers;

async function accepts(config, name) {
  const file = path.join(tempFolder('config'), 'wafd.json');
  fs.writeFileSync(file, config);
  const checked = await run(wafdPath, ['config', 'check', '--config', file, '--state-dir', tempFolder('state'), ...['ingest.t1k', 'ingest.http', 'console'].flatMap((one) => ['--set', `${one}.listen=127.0.0.1:0`])]);
  assert.equal(checked.code, 0, `${name}: ${checked.stdout}${checked.stderr}`);
}

describe('Kubernetes', () => {
  test('every manifest is valid by its schema, which would find a mistake', () => {
    assert.deepEqual(manifests.map((one) => one.kind), ['ConfigMap', 'Service', 'Service', 'Service', 'StatefulSet', 'PodDisruptionBudget', 'NetworkPolicy'], 'nothing that a cluster without operators does not know');
    for (const one of [...manifests, ...monitored()]) new schemas[one.kind](one).validate();
    for (const wrong of [{ replicas: 'many' }, { template: { spec: { containers: [{ image: 'wafd' }] } } }]) assert.throws(() => new StatefulSet({ ...set, spec: { ...set.spec, ...wrong } }).validate());
    assert.throws(() => new ServiceMonitor({ ...monitored().at(-1), spec: { endpoints: [{ scheme: 'gopher' }] } }).validate());
  });

  test('the manifests are the chart with its values, and other values come through', () => {
    assert.equal(read('packaging/kubernetes/wafd.yaml').split('\n').slice(1).join('\n'), render(values()));
    const other = values();
    Object.assign(other, { replicas: 3, nodeSelector: { disk: 'fast' } });
    other.image.repository = 'mine/wafd';
    other.config.log = { level: 'warn' };
    other.networkPolicy.enabled = other.serviceMonitor.enabled = false;
    const made = documents(render(other, { Name: 'edge', Namespace: 'dmz' }));
    assert.deepEqual(made.map((one) => one.kind), ['ConfigMap', 'Service', 'Service', 'Service', 'StatefulSet', 'PodDisruptionBudget']);
    for (const one of made) {
      new schemas[one.kind](one).validate();
      assert.equal(one.metadata.namespace, 'dmz');
    }
    const { spec } = of_kind(made, 'StatefulSet')[0];
    assert.deepEqual([spec.replicas, spec.serviceName, spec.template.spec.nodeSelector, spec.template.spec.containers[0].image.split(':')[0]], [3, 'edge-nodes', { disk: 'fast' }, 'mine/wafd']);
    assert.equal(JSON.parse(made[0].data['wafd.json']).log.level, 'warn');
    assert.throws(() => render_template('{{ .Values.nowhere }}', { Values: {}, Release: {} }), /no value/);
    assert.throws(() => render_template('{{ include "x" . }}', { Values: {}, Release: {} }), /does not know/);
    for (const file of fs.readdirSync(path.join(root, 'packaging/helm/wafd/templates'))) render_template(read(`packaging/helm/wafd/templates/${file}`), { Values: values(), Release: { Name: 'a', Namespace: 'b' } });
  });

  test('services, ports, labels and claims lead to each other', () => {
    const { labels } = set.spec.template.metadata;
    const ports = new Set(container.ports.map((one) => one.name));
    const matches = (wanted) => Object.entries(wanted).every(([name, value]) => labels[name] === value);
    assert.ok(matches(set.spec.selector.matchLabels));
    const services = of_kind(manifests, 'Service');
    for (const service of services) {
      assert.ok(matches(service.spec.selector), service.metadata.name);
      for (const port of service.spec.ports) assert.ok(ports.has(port.targetPort), port.targetPort);
    }
    assert.ok(services.some((one) => one.metadata.name === set.spec.serviceName && one.spec.clusterIP === 'None'));
    for (const kind of ['PodDisruptionBudget', 'NetworkPolicy']) for (const one of of_kind(manifests, kind)) assert.ok(matches((one.spec.selector ?? one.spec.podSelector).matchLabels), kind);
    for (const { ports: open } of of_kind(manifests, 'NetworkPolicy')[0].spec.ingress) for (const { port } of open) assert.ok(ports.has(port), port);
    const monitor = of_kind(monitored(), 'ServiceMonitor')[0].spec;
    const watched = services.filter((one) => Object.entries(monitor.selector.matchLabels).every(([name, value]) => one.metadata.labels[name] === value));
    assert.deepEqual(watched.map((one) => one.metadata.name), ['wafd-console'], 'each node once');
    assert.ok(watched[0].spec.ports.some((one) => one.name === monitor.endpoints[0].port));
    const mounts = Object.fromEntries(container.volumeMounts.map((one) => [one.mountPath, one.name]));
    assert.deepEqual([mounts['/var/lib/wafd'], mounts['/etc/wafd']], [set.spec.volumeClaimTemplates[0].metadata.name, set.spec.template.spec.volumes[0].name]);
    for (const probe of ['startupProbe', 'readinessProbe']) assert.deepEqual(container[probe].exec.command, ['/usr/bin/wafd', 'health']);
  });

  test('Prometheus gets through the policy from its own namespace, only where it reads', () => {
    const console_of = (all) => of_kind(all, 'NetworkPolicy').flatMap((one) => one.spec.ingress).filter((one) => one.ports.some(({ port }) => port === 'console')).flatMap((one) => one.from);
    const own = { podSelector: {} };
    const prometheus = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };
    assert.deepEqual(console_of(manifests), [own]);
    assert.deepEqual(console_of(monitored()), [own, prometheus]);
    for (const one of of_kind(monitored(), 'NetworkPolicy')) assert.deepEqual(one.spec.podSelector.matchLabels, set.spec.selector.matchLabels);
    const open = values();
    Object.assign(open.serviceMonitor, { enabled: true });
    open.networkPolicy.enabled = false;
    assert.deepEqual(documents(render(open)).map((one) => one.kind).slice(-2), ['PodDisruptionBudget', 'ServiceMonitor'], 'no policy, nothing to open');
  });

  test('the pod has no rights and writes to its claim alone', () => {
    const pod = set.spec.template.spec;
    assert.deepEqual([pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser, pod.automountServiceAccountToken], [true, 10001, false]);
    assert.deepEqual(container.securityContext, { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    assert.ok(container.volumeMounts.every((one) => one.mountPath === '/var/lib/wafd' || one.readOnly));
  });

  test('the plugin of the gateway asks the service that there is', () => {
    const plugins = documents(read('packaging/gateway-waf/examples/kubernetes.yaml'));
    assert.deepEqual(plugins.map((one) => one.kind), ['KongPlugin', 'KongClusterPlugin']);
    for (const { config, plugin } of plugins) {
      assert.equal(plugin, 'waf');
      const service = of_kind(manifests, 'Service').find((one) => `${one.metadata.name}.${one.metadata.namespace}.svc.cluster.local` === config.host);
      assert.ok(service?.spec.ports.some((one) => one.port === config.port && one.name === 't1k'), config.host);
    }
  });

  test('the configuration in chart and container is one that wafd takes, version and listeners are those of the program', async () => {
    const version = (await run(wafdPath, ['version'])).stdout.trim().split(' ').pop();
    const chart = parse(read('packaging/helm/wafd/Chart.yaml'));
    assert.deepEqual([chart.version, chart.appVersion, values().image.tag], [version, version, version]);
    const inside = read('packaging/container/wafd.json');
    await accepts(inside, 'container');
    await accepts(manifests[0].data['wafd.json'], 'chart');
    assert.deepEqual(values().config, parse(inside.replace(/^\s*\/\/.*$/gm, '')), 'one and the same');
  });
});

describe('the container', () => {
  const file = read('packaging/container/Containerfile');
  test('no rights, a fixed user, a check of its health, images without a registry', () => {
    assert.match(file, /^USER 10001:10001$/m);
    assert.match(file, /^HEALTHCHECK .*CMD \["\/usr\/bin\/wafd", "health"\]$/m);
    const compose = parse(read('packaging/container/compose.yaml'));
    for (const image of [...Object.values(compose.services).map((one) => one.image), container.image, ...[...file.matchAll(/^ARG BASE=(\S+)$/gm)].map(([, one]) => one)]) assert.match(image, /^[a-z]+(:[\w.-]+)?$/);
    const { wafd } = compose.services;
    assert.deepEqual(wafd.healthcheck.test, ['CMD', '/usr/bin/wafd', 'health'], 'an image in the form of OCI has none');
    assert.deepEqual(Object.keys(compose.services.gateway.depends_on).sort(), ['application', 'wafd'], 'nginx starts only when it knows both names');
    assert.deepEqual([wafd.read_only, wafd.cap_drop, wafd.volumes], [true, ['ALL'], ['wafd-state:/var/lib/wafd']]);
    assert.ok(fs.existsSync(path.join(root, 'packaging/container', wafd.build.context, wafd.build.dockerfile)));
  });

  test('takes the package of its own version and architecture, never another; without it it builds', async () => {
    const [, script] = /^RUN (set -eu;(?:.*\\\n)+.*)$/m.exec(file);
    const architecture = (await run('dpkg', ['--print-architecture'])).stdout.trim();
    const version = container.image.split(':')[1];
    async function taken(...packages) {
      const folder = tempFolder('package');
      fs.mkdirSync(path.join(folder, 'build/debian'), { recursive: true });
      fs.copyFileSync(path.join(root, 'CMakeLists.txt'), path.join(folder, 'CMakeLists.txt'));
      for (const name of packages) fs.writeFileSync(path.join(folder, 'build/debian', name), name);
      const result = await run('sh', ['-c', script.replaceAll('\\\n', '').replaceAll('/out', `${folder}/out`)], { cwd: folder });
      return result.code === 0 ? fs.readFileSync(path.join(folder, 'out/wafd.deb'), 'utf8') : result.stderr;
    }
    const others = ['wafd_0.0.9_amd64.deb', 'wafd_0.0.9_arm64.deb', `wafd_${version}_other.deb`];
    assert.equal(await taken(...others, `wafd_${version}_${architecture}.deb`), `wafd_${version}_${architecture}.deb`);
    for (const none of [others, []]) assert.match(await taken(...none), /packaging\/install/, 'begins to build');
  });

  test('the gateway beside it is the one of packaging/gateways, by other names', () => {
    const shipped = read('packaging/gateways/nginx-auth-request/forwarded.conf');
    const named = shipped.slice(shipped.indexOf('upstream wafd')).replaceAll('127.0.0.1:8701', 'wafd:8701').replaceAll('listen 127.0.0.1:8080', 'listen 8080').replaceAll('http://127.0.0.1:8081', 'http://application');
    const gateway = read('packaging/container/gateway.conf');
    assert.equal(gateway.slice(gateway.indexOf('upstream wafd')), named);
  });
});
