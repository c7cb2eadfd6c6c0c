/** For each item a bit at each of its places, 32 places in a number. */
export function placesOf(items: readonly string[], blocks: number): ReadonlyMap<string, Int32Array> {
  const places = new Map<string, Int32Array>()
  items.forEach((item, i) => {
    const bits = places.get(item) ?? new Int32Array(blocks)
    bits[i >> 5] = (bits[i >> 5] ?? 0) | (1 << (i & 31))
    places.set(item, bits)
  })
  return places
}
