// docker-registry of Debian: images of containers pushed, listed, copied and pulled by skopeo, as builds and machines do.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { agents, people, posts } from './support/texts.mjs';

export const title = 'docker-registry (images of containers)';

export function prepare(stage) {
  stage.config = stage.write(
    path.join(stage.temp('registry'), 'config.yml'),
    `version: 0.1
log: { level: error }
storage: { filesystem: { rootdirectory: ${stage.temp('storage')} }, delete: { enabled: true } }
http: { addr: '127.0.0.1:${stage.appPort}' }
`,
  );
}

export async function start(stage) {
  stage.run('docker-registry', ['serve', stage.config]);
  await stage.answers('/v2/');
}

// What builders write down of the steps of a build (OCI image specification, "history").
const builds = [
  ['/bin/sh -c #(nop) ADD file:5c2a in / ', '/bin/sh -c #(nop)  CMD ["bash"]'],
  [
    'RUN /bin/sh -c apt-get update && apt-get install -y --no-install-recommends ca-certificates curl && rm -rf /var/lib/apt/lists/* # buildkit',
    'COPY . /srv/app # buildkit',
    'CMD ["node" "server.js"]',
  ],
  [
    "|1 VERSION=20.1 /bin/sh -c set -eux; curl -fsSL https://dl.example/node-v$VERSION.tar.xz | tar -xJ -C /usr/local --strip-components=1; node --version",
    '/bin/sh -c adduser -D app && chown -R app:app /srv',
    'HEALTHCHECK {Test:["CMD-SHELL","wget -qO- http://127.0.0.1:3000/healthz || exit 1"]}',
  ],
  [
    'SHELL [/bin/bash -o pipefail -c]',
    `RUN python3 -m venv /opt/venv && /opt/venv/bin/pip install -r requirements.txt`,
    'ENTRYPOINT ["/usr/bin/tini" "--" "/srv/app/run.sh"]',
  ],
];

// An image as a folder (OCI image layout): a layer of the files, settings, a manifest.
async function makeImage(stage, at) {
  const layout = stage.temp('image');
  const put = (bytes) => {
    const hash = createHash('sha256').update(bytes).digest('hex');
    stage.write(path.join(layout, 'blobs/sha256', hash), bytes);
    return { digest: `sha256:${hash}`, size: bytes.length };
  };
  const files = stage.temp('files');
  stage.write(path.join(files, 'etc/app.conf'), `# ${people[at].name}\nname = "O'Neil & Söhne"\n`);
  stage.write(path.join(files, 'srv/run.sh'), '#!/bin/sh\nset -e\ncd /srv/app && exec node server.js "$@"\n');
  stage.write(path.join(files, 'srv/index.html'), posts[at].html);
  const tar = path.join(stage.temp('layer'), 'layer.tar');
  await stage.done('tar', ['-C', files, '-cf', tar, '.']);
  const content = fs.readFileSync(tar);
  const layer = put(gzipSync(content));
  const config = put(
    Buffer.from(
      JSON.stringify({
        architecture: 'amd64',
        os: 'linux',
        author: people[at].name,
        config: {
          Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'GREETING=it\'s "fine"; really'],
          Entrypoint: ['/bin/sh', '-c', 'nginx -t && exec nginx -g "daemon off;"'],
          Cmd: ['--verbose'],
          WorkingDir: '/srv/app',
          Volumes: { '/var/lib/app': {} },
          ExposedPorts: { '8080/tcp': {} },
          Labels: { 'org.opencontainers.image.title': posts[at].title, 'org.opencontainers.image.source': 'https://git.example/shop/app.git' },
        },
        rootfs: { type: 'layers', diff_ids: [`sha256:${createHash('sha256').update(content).digest('hex')}`] },
        history: builds[at % builds.length].map((created_by) => ({ created: '2026-11-18T08:15:00Z', created_by, empty_layer: true })),
      }),
    ),
  );
  const type = 'application/vnd.oci.image';
  const manifest = put(
    Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: `${type}.manifest.v1+json`,
        config: { mediaType: `${type}.config.v1+json`, ...config },
        layers: [{ mediaType: `${type}.layer.v1.tar+gzip`, ...layer }],
        annotations: { 'org.opencontainers.image.description': posts[at].title },
      }),
    ),
  );
  stage.write(path.join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  stage.write(
    path.join(layout, 'index.json'),
    JSON.stringify({
      schemaVersion: 2,
      manifests: [{ mediaType: `${type}.manifest.v1+json`, ...manifest, annotations: { 'org.opencontainers.image.ref.name': 'latest' } }],
    }),
  );
  return layout;
}

export async function drive(stage) {
  const skopeo = (...args) => stage.command('skopeo', ['--insecure-policy', ...args]);
  const image = (name) => `docker://${stage.address}/${name}`;
  const plain = { from: '--src-tls-verify=false', to: '--dest-tls-verify=false' };
  for (const [at, name] of ['shop/app', 'library/nginx', 'team-1/id', 'tools/curl', 'cat', 'select/from'].entries()) {
    const layout = await makeImage(stage, at);
    for (const tag of ['latest', '1.27.3-alpine3.20', '20261118.1-rc.2_amd64'])
      await skopeo('copy', plain.to, `oci:${layout}:latest`, image(`${name}:${tag}`));
    await skopeo('copy', plain.to, '--format', 'v2s2', `oci:${layout}:latest`, image(`${name}:docker`));
    await skopeo('inspect', '--tls-verify=false', image(`${name}:latest`));
    await skopeo('inspect', '--tls-verify=false', '--config', image(`${name}:docker`));
    await skopeo('list-tags', '--tls-verify=false', image(name));
    await skopeo('copy', plain.from, plain.to, image(`${name}:latest`), image(`mirror/${name}:latest`));
    await skopeo('copy', plain.from, image(`${name}:docker`), `dir:${stage.temp('pulled')}`);
  }
  await skopeo('delete', '--tls-verify=false', image('cat:docker'));
  for (const where of ['_catalog?n=100', '_catalog?n=5&last=library/nginx', 'shop/app/tags/list', 'shop/app/manifests/latest'])
    await stage.send('GET', `/v2/${where}`, { headers: { 'User-Agent': agents.go, Accept: 'application/vnd.oci.image.manifest.v1+json, */*' } });
}
