import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import forge from 'node-forge';

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

export interface CertificateWish {
  readonly host: string;
  /** From and until, in days from now. */
  readonly days: readonly [number, number];
  /** Signed by the test's own authority, or by itself. */
  readonly signer: 'authority' | 'itself';
}

interface KeyPair {
  readonly privateKey: forge.pki.rsa.PrivateKey;
  readonly publicKey: forge.pki.rsa.PublicKey;
}

function keyPair(): KeyPair {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = forge.pki.privateKeyFromPem(privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
  return { privateKey: key, publicKey: forge.pki.setRsaPublicKey(key.n, key.e) };
}

function certificate(name: string, days: readonly [number, number], keys: KeyPair) {
  const made = forge.pki.createCertificate();
  made.publicKey = keys.publicKey;
  made.serialNumber = `01${randomBytes(8).toString('hex')}`;
  made.validity.notBefore = new Date(Date.now() + days[0] * DAY_MILLISECONDS);
  made.validity.notAfter = new Date(Date.now() + days[1] * DAY_MILLISECONDS);
  made.setSubject([{ name: 'commonName', value: name }]);
  return made;
}

/** An authority of its own, whose certificates are trusted by whoever is given its own one. */
export function testAuthority() {
  const keys = keyPair();
  const own = certificate('Authority of the test', [-1, 1], keys);
  own.setIssuer(own.subject.attributes);
  own.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'keyUsage', keyCertSign: true },
  ]);
  own.sign(keys.privateKey, forge.md.sha256.create());

  function issue(wish: CertificateWish): { key: string; cert: string } {
    const serverKeys = keyPair();
    const made = certificate(wish.host, wish.days, serverKeys);
    const byAuthority = wish.signer === 'authority';
    made.setIssuer(byAuthority ? own.subject.attributes : made.subject.attributes);
    made.setExtensions([{ name: 'subjectAltName', altNames: [{ type: 2, value: wish.host }] }]);
    made.sign(byAuthority ? keys.privateKey : serverKeys.privateKey, forge.md.sha256.create());
    return {
      key: forge.pki.privateKeyToPem(serverKeys.privateKey),
      cert: forge.pki.certificateToPem(made),
    };
  }

  return { pem: forge.pki.certificateToPem(own), issue };
}

/** Answers every request with 200, and counts them. */
export async function tlsReceiver(certificate: { key: string; cert: string }) {
  let requests = 0;
  const server = createServer(certificate, (_request, response) => {
    requests += 1;
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get requests() {
      return requests;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
