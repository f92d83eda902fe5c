// Loaded with `--import`: makes Node behave like Electron, whose BoringSSL has no chacha20-poly1305 cipher.
import crypto from 'node:crypto';

const MISSING = 'chacha20-poly1305';
const { getCiphers, createCipheriv, createDecipheriv } = crypto;

const without = (create) =>
  function (name, ...rest) {
    if (name === MISSING) throw Object.assign(new Error('Unknown cipher'), { code: 'ERR_CRYPTO_UNKNOWN_CIPHER' });
    return create(name, ...rest);
  };

crypto.getCiphers = () => getCiphers().filter((name) => name !== MISSING);
crypto.createCipheriv = without(createCipheriv);
crypto.createDecipheriv = without(createDecipheriv);
