/*
 * ChaCha20-Poly1305 (RFC 8439) for WebAssembly: libsodium's two primitives, without the rest of that library.
 * scripts/wasm.mjs compiles this file, and writes the result to wasmCode.ts.
 */
#include "crypto_onetimeauth/poly1305/donna/poly1305_donna.c"
#include "crypto_stream/chacha20/ref/chacha20_ref.c"

#define EXPORT(name) __attribute__((export_name(name)))

/* In bytes: longer than the longest record of a response. */
#define MAX_TEXT 66560

static unsigned char key[32], nonce[12], text[MAX_TEXT];
static poly1305_state_internal_t mac;
static const unsigned char zeros[16];

/* Where each of them lies in the memory. The caller writes and reads them, and overwrites the secret ones. */
EXPORT("key") unsigned char *key_address(void) { return key; }
EXPORT("nonce") unsigned char *nonce_address(void) { return nonce; }
EXPORT("text") unsigned char *text_address(void) { return text; }
EXPORT("mac") unsigned char *mac_address(void) { return (unsigned char *) &mac; }
EXPORT("macLength") size_t mac_length(void) { return sizeof mac; }

void sodium_memzero(void *const bytes, const size_t length)
{
    memset(bytes, 0, length);
    __asm__ volatile("" : : "r"(bytes) : "memory"); /* or the compiler would leave it out */
}

/* Up to the next multiple of 16 bytes. */
static void pad(unsigned length)
{
    poly1305_update(&mac, zeros, -length & 15);
}

/* Begins the MAC with the one-time key, which is the start of the key stream, and the additional data, which is the text. */
EXPORT("begin") void begin(unsigned aad_length)
{
    unsigned char one_time_key[32];

    stream_ietf_ext_ref(one_time_key, sizeof one_time_key, nonce, key);
    poly1305_init(&mac, one_time_key);
    sodium_memzero(one_time_key, sizeof one_time_key);
    poly1305_update(&mac, text, aad_length);
    pad(aad_length);
}

/* Adds a part of the text to the MAC. */
EXPORT("authenticate") void authenticate(unsigned from, unsigned to)
{
    poly1305_update(&mac, text + from, to - from);
}

/* Encrypts or decrypts the text up to `to` with the key stream from this block of 64 bytes on. */
EXPORT("crypt") void crypt(unsigned to, unsigned block)
{
    stream_ietf_ext_ref_xor_ic(text, text, to, nonce, block, key);
}

/* Ends the MAC of a message of this many bytes, and writes the tag to the beginning of the text. */
EXPORT("finish") void finish(unsigned aad_length, unsigned message_length)
{
    unsigned char lengths[16] = { 0 };

    STORE32_LE(lengths, aad_length);
    STORE32_LE(lengths + 8, message_length);
    pad(message_length);
    poly1305_update(&mac, lengths, sizeof lengths);
    poly1305_finish(&mac, text); /* and overwrites the state */
}

/* Overwrites what the functions above have left on the stack: a begun block of the key stream, and of the text. */
EXPORT("clearStack") void clear_stack(void)
{
    unsigned char stack[1024];

    sodium_memzero(stack, sizeof stack);
}
