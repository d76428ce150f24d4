// The content of the report: JSON with references into one block of bytes, which is deflated and written in base64.

const TYPES = {
  f4: Float32Array,
  i2: Int16Array,
  u2: Uint16Array,
  u1: Uint8Array,
  i1: Int8Array,
  u4: Uint32Array,
};

/** Facts and bytes of the page; `read` turns a reference of the facts into an array. */
export async function loadContent() {
  const facts = JSON.parse(document.getElementById("facts").textContent);
  const bytes = await inflate(decodeBase64(document.getElementById("bytes").textContent.trim()));
  return { facts, read: (ref) => readArray(bytes, ref) };
}

function decodeBase64(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** Numbers of a reference. Whole numbers with a scale are turned into the values that they stand for. */
export function readArray(bytes, ref) {
  const stored = new TYPES[ref.type](bytes, ref.at, ref.count);
  if (ref.scale === undefined) return stored;
  const values = new Float32Array(ref.count);
  for (let i = 0; i < ref.count; i++) {
    // the largest whole number stands for no value at all
    values[i] = stored[i] === 65535 ? NaN : ref.low + ref.scale * stored[i];
  }
  return values;
}

/** Index of the last time that is not later, and the share of the way to the next one. */
export function findFrame(time, now) {
  let low = 0;
  let high = time.length - 1;
  if (now <= time[0] || high === 0) return { index: 0, share: 0 };
  if (now >= time[high]) return { index: high, share: 0 };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= now) low = middle;
    else high = middle;
  }
  return { index: low, share: (now - time[low]) / (time[high] - time[low]) };
}
