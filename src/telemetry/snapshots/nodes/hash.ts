/** 2^32. */
const HALF = 4_294_967_296;
/** What the three words begin with for a value of 4 bytes: PostgreSQL's hash_bytes_uint32. */
const START = (0x9e3779b9 + 4 + 3_923_095) | 0;

/**
 * PostgreSQL's `hashint8`, by which Citus finds the shard of a key: an integer of 32 bits with its sign. Both halves of the
 * key are joined and mixed by the last step of Bob Jenkins' lookup3. The server's own answer is compared with it by a test.
 */
export function hashOfKey(key: number): number {
  const high = Math.floor(key / HALF);
  const low = key - high * HALF;
  let [a, b, c] = [(START + (low ^ (key >= 0 ? high : ~high))) | 0, START, START];
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  c = ((c ^ b) - rotate(b, 24)) | 0;
  return c;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
