// What two checks would find if they refused nothing, for the proof that each check is needed.
import { X509Certificate } from 'node:crypto';
import { decode } from 'cborg';

/** In place of `document_format`: whatever the decoder makes of the bytes, without a look at it. */
export function anyDocument(bytes: Uint8Array): unknown {
  const options = { useMaps: true, allowIndefinite: true, allowUndefined: true };
  const parts = decode(new Uint8Array(bytes), options) as unknown[];
  const [protectedHeader, unprotectedHeader, payload, signature] = parts;
  const fields = decode(payload as Uint8Array, options) as ReadonlyMap<string, unknown>;
  const get = (name: string) => fields.get(name) ?? undefined;
  const document = {
    moduleId: get('module_id'),
    digest: get('digest'),
    timestamp: get('timestamp'),
    pcrs: get('pcrs'),
    certificate: get('certificate'),
    cabundle: get('cabundle'),
    publicKey: get('public_key'),
    userData: get('user_data'),
    nonce: get('nonce'),
  };
  return { envelope: { protectedHeader, unprotectedHeader, payload, signature }, document };
}

/** In place of `certificate_chain`: the certificates as OpenSSL reads them, whoever has issued them. */
export function anyChain(document: { cabundle: readonly Uint8Array[]; certificate: Uint8Array }): unknown {
  const read = (der: Uint8Array) => {
    const certificate = new X509Certificate(der);
    const [notBefore, notAfter] = [certificate.validFrom, certificate.validTo].map((text) => Date.parse(text));
    return { publicKey: certificate.publicKey, notBefore, notAfter, subjectText: certificate.subject };
  };
  return { chain: { authorities: document.cabundle.map(read), leaf: read(document.certificate) } };
}
