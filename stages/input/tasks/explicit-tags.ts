import { isMap, YAMLMap, YAMLSeq, type Tags } from 'yaml'

type Tag = Exclude<Tags[number], string>

const named = (name: string): string => `tag:yaml.org,2002:${name}`

/** `a: 1` as the pair `[a, 1]`. */
function pairsOf(list: unknown): YAMLSeq {
  const pairs = new YAMLSeq()
  for (const item of list instanceof YAMLSeq ? (list.items as readonly unknown[]) : [])
    for (const { key, value } of isMap(item) ? item.items : []) {
      const pair = new YAMLSeq()
      pair.items = [key, value]
      pairs.items.push(pair)
    }
  return pairs
}

function keysOf(map: unknown): YAMLSeq {
  const keys = new YAMLSeq()
  keys.items = map instanceof YAMLMap ? map.items.map(({ key }): unknown => key) : []
  return keys
}

/**
 * What PyYAML knows by its tag alone: `!!float 3` is a number, `!!set` a list of its keys, `!!omap` and `!!pairs` are lists of pairs,
 * `!!python/tuple` is a list, `!!timestamp` a text as all dates are.
 */
export const explicitTags: readonly Tag[] = [
  {
    tag: named('float'),
    resolve(text: string, onError: (message: string) => void) {
      const value = numberOf(text.replaceAll('_', '').toLowerCase())
      if (value === undefined) onError(`!!float ${text}: expected a number`)
      return value
    },
  },
  { tag: named('timestamp'), resolve: (text: string) => text },
  { tag: named('set'), collection: 'map', resolve: keysOf },
  { tag: named('omap'), collection: 'seq', resolve: pairsOf },
  { tag: named('pairs'), collection: 'seq', resolve: pairsOf },
  { tag: named('python/tuple'), collection: 'seq', resolve: list => list },
]

function numberOf(text: string): number | undefined {
  const limit = /^([-+]?)\.inf$/.exec(text)
  if (limit !== null) return limit[1] === '-' ? -Infinity : Infinity
  if (text === '.nan') return Number.NaN
  const value = Number(text)
  return text.trim() === '' || Number.isNaN(value) ? undefined : value
}
