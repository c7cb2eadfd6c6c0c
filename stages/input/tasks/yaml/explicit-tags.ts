/** The types of values that PyYAML selects by an explicit tag. */
import { isMap, type Tags, YAMLMap, YAMLSeq } from 'yaml'

type Tag = Exclude<Tags[number], string>

const makeTagUri = (name: string): string => `tag:yaml.org,2002:${name}`

/** Reads `a: 1` as the pair `[a, 1]`. */
function convertPairs(list: unknown): YAMLSeq {
  const pairs = new YAMLSeq()
  for (const item of list instanceof YAMLSeq ? (list.items as readonly unknown[]) : [])
    for (const { key, value } of isMap(item) ? item.items : []) {
      const pair = new YAMLSeq()
      pair.items = [key, value]
      pairs.items.push(pair)
    }
  return pairs
}

function collectKeys(map: unknown): YAMLSeq {
  const keys = new YAMLSeq()
  keys.items = map instanceof YAMLMap ? map.items.map(({ key }): unknown => key) : []
  return keys
}

/**
 * Types that PyYAML selects by an explicit tag: `!!float 3` is a number, `!!set` a list of its keys, `!!omap` and
 * `!!pairs` are lists of pairs, `!!python/tuple` is a list, `!!timestamp` a text as all dates are.
 */
export const explicitTags: readonly Tag[] = [
  {
    tag: makeTagUri('float'),
    resolve(text: string, onError: (message: string) => void) {
      const value = parseNumber(text.replaceAll('_', '').toLowerCase())
      if (value === undefined) onError(`!!float ${text}: expected a number`)
      return value
    },
  },
  { tag: makeTagUri('timestamp'), resolve: (text: string) => text },
  { tag: makeTagUri('set'), collection: 'map', resolve: collectKeys },
  { tag: makeTagUri('omap'), collection: 'seq', resolve: convertPairs },
  { tag: makeTagUri('pairs'), collection: 'seq', resolve: convertPairs },
  { tag: makeTagUri('python/tuple'), collection: 'seq', resolve: list => list },
]

function parseNumber(text: string): number | undefined {
  const limit = /^([-+]?)\.inf$/.exec(text)
  if (limit !== null) return limit[1] === '-' ? -Infinity : Infinity
  if (text === '.nan') return Number.NaN
  const value = Number(text)
  return text.trim() === '' || Number.isNaN(value) ? undefined : value
}
