import { asBuffer } from '../shared/bytes.ts';

/**
 * The certificates that a chain may start with, each as DER. They are an argument of the verification, never a global:
 * the proxy passes `AWS_NITRO_ROOT`, tests pass the root of a development enclave. An empty list trusts nothing.
 */
export interface TrustAnchors {
  readonly roots: readonly Uint8Array[];
}

/** Whether `certificate` (DER) is byte for byte one of the anchors. */
export function isTrustAnchor(anchors: TrustAnchors, certificate: Uint8Array): boolean {
  return anchors.roots.some((root) => asBuffer(root).equals(certificate));
}

/**
 * The root of AWS Nitro Enclaves, valid 2019-10-28 to 2049-10-28 (transport V2, section 4). The SHA-256 of its DER is
 * 641a0321a3e244efe456463195d606317ed7cdcc3c1756e09893f3c68f79bb5b, as AWS publishes it:
 * https://docs.aws.amazon.com/enclaves/latest/user/verify-root.html
 */
export const AWS_NITRO_ROOT: TrustAnchors = {
  roots: [
    Buffer.from(
      'MIICETCCAZagAwIBAgIRAPkxdWgbkK/hHUbMtOTn+FYwCgYIKoZIzj0EAwMwSTELMAkGA1UEBhMCVVMxDzANBgNVBAoMBkFtYXpv' +
        'bjEMMAoGA1UECwwDQVdTMRswGQYDVQQDDBJhd3Mubml0cm8tZW5jbGF2ZXMwHhcNMTkxMDI4MTMyODA1WhcNNDkxMDI4MTQyODA1' +
        'WjBJMQswCQYDVQQGEwJVUzEPMA0GA1UECgwGQW1hem9uMQwwCgYDVQQLDANBV1MxGzAZBgNVBAMMEmF3cy5uaXRyby1lbmNsYXZl' +
        'czB2MBAGByqGSM49AgEGBSuBBAAiA2IABPwCVOumCMHzaHDimtqQvkY4MpJzbolL//Zy2YlES1BR5TSksfbb48C8WBoyt7F2Bw7e' +
        'EtaaP+ohG2bnUs990d0JX28TcPQXCEPZ3BABIeTPYwEoCWZEh8l5YoQwTcU/9KNCMEAwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4E' +
        'FgQUkCW1DdkFR+eWw5b6cp3PmanfS5YwDgYDVR0PAQH/BAQDAgGGMAoGCCqGSM49BAMDA2kAMGYCMQCjfy+Rocm9Xue4YnwWmNJV' +
        'A44fA0P5W2OpYow9OYCVRaEevL8uO1XYru5xtMPWrfMCMQCi85sWBbJwKKXdS6BptQFuZbT73o/gBh1qUxl/nNr12UO8Yfwr6wPL' +
        'b+6NIwLz3/Y=',
      'base64',
    ),
  ],
};
