import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { assert } from 'chai';
import { createNameLookup, isPublicAddress } from '../../src/platform/outbound.js';
import { words } from '../support/words.js';

const PUBLIC = ['8.8.8.8', '93.184.215.14', '2606:4700::1111', '2a00:1450:4001:80e::200e'];
const NOT_PUBLIC: Record<string, string[]> = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1'],
  'link-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'fec0::1'],
  metadata: ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'multicast and broadcast': ['224.0.0.1', '239.255.255.250', '255.255.255.255', 'ff02::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  'reserved and benchmarking': ['240.0.0.1', '198.18.0.1', '192.88.99.1', '100::1', '2001:10::1', '5f00::1'],
  'IPv4 inside of IPv6': words(`
    ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 ::7f00:1 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1::
    2001:0:7f00:1::1
  `),
  'no address': ['', 'localhost', '1.2.3.4.5', '256.1.1.1'],
};

describe('public addresses', () => {
  it('are those of the public internet', () => {
    for (const address of PUBLIC) assert.isTrue(isPublicAddress(address), address);
  });

  for (const [kind, addresses] of Object.entries(NOT_PUBLIC)) {
    it(`are not ${kind}`, () => {
      for (const address of addresses) assert.isFalse(isPublicAddress(address), address);
    });
  }
});

/** A name server that knows the address of all names but those of `silent.example`, for which it never answers. */
async function startNameServer() {
  const socket = createSocket('udp4', (query, { address, port }) => {
    if (query.includes('silent')) return;
    // The question ends with its type and class. Only the type A (1) has an answer: the address that PUBLIC begins with.
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const isA = question.readUInt16BE(question.length - 4) === 1;
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 8, 8, 8, 8]);
    socket.send(Buffer.concat(isA ? [header, question, record] : [header, question]), port, address);
  }).bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

describe('looking up names that clients choose', () => {
  it('is not delayed by name servers that never answer, whatever their number', async () => {
    const server = await startNameServer();
    const lookup = promisify(createNameLookup([`127.0.0.1:${server.address().port}`]));
    const ended: string[] = [];
    const all = [...Array.from({ length: 20 }, (_, i) => `${i}.silent.example`), 'shop.example'].map(
      async (name) => {
        const found = await lookup(name, { all: true }).catch(({ code }: { code: string }) => code);
        ended.push(name);
        return found;
      },
    );
    const found = await Promise.all(all);
    server.close();
    assert.strictEqual(ended[0], 'shop.example');
    assert.deepEqual(found.at(-1), [{ address: PUBLIC[0] ?? '', family: 4 }]);
    assert.deepEqual(new Set(found.slice(0, -1)), new Set(['ETIMEOUT']));
  });
});
