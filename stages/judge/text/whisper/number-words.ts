/** The English words of numbers, and how each changes the number that is being read. */
export type NumberWord =
  | { readonly kind: 'zero' }
  /** One to nineteen; with a suffix (`first`, `ones`) it ends the number. */
  | { readonly kind: 'one' | 'ten' | 'multiplier'; readonly value: bigint; readonly suffix?: string }
  /** `minus`, in front of a number. */
  | { readonly kind: 'sign'; readonly symbol: string }
  /** `dollars`, behind a number, written in front of it. */
  | { readonly kind: 'currency'; readonly symbol: string }
  | { readonly kind: 'percent' | 'per' | 'and' | 'point' }
  | { readonly kind: 'repeat'; readonly times: number }

const ones = [
  ...['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve', 'thirteen'],
  ...['fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
]
const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const thousands = [
  ...[
    'thousand',
    'million',
    'billion',
    'trillion',
    'quadrillion',
    'quintillion',
    'sextillion',
    'septillion',
    'octillion',
  ],
  ...['nonillion', 'decillion'],
]

const irregular: Readonly<Record<string, { readonly name: string; readonly suffix: string }>> = {
  one: { name: 'first', suffix: 'st' },
  two: { name: 'second', suffix: 'nd' },
  three: { name: 'third', suffix: 'rd' },
  five: { name: 'fifth', suffix: 'th' },
  twelve: { name: 'twelfth', suffix: 'th' },
}

type Entry = readonly [string, NumberWord]

function onesEntries(name: string, index: number): readonly Entry[] {
  const value = BigInt(index + 1)
  // The reference knows the misspelt ordinal "nineth", and not "ninth".
  const ordinal = irregular[name] ?? { name: name.endsWith('t') ? `${name}h` : `${name}th`, suffix: 'th' }
  return [
    [name, { kind: 'one', value }],
    [name === 'six' ? 'sixes' : `${name}s`, { kind: 'one', value, suffix: 's' }],
    [ordinal.name, { kind: 'one', value, suffix: ordinal.suffix }],
  ]
}

function tensEntries(name: string, index: number): readonly Entry[] {
  const value = BigInt(10 * index + 20)
  return [
    [name, { kind: 'ten', value }],
    [name.replace('y', 'ies'), { kind: 'ten', value, suffix: 's' }],
    [name.replace('y', 'ieth'), { kind: 'ten', value, suffix: 'th' }],
  ]
}

const multiplierEntries = (name: string, value: bigint): readonly Entry[] => [
  [name, { kind: 'multiplier', value }],
  [`${name}s`, { kind: 'multiplier', value, suffix: 's' }],
  [`${name}th`, { kind: 'multiplier', value, suffix: 'th' }],
]

const each = (names: string, word: NumberWord): readonly Entry[] => names.split(' ').map(name => [name, word] as const)

/**
 * All number words by name.
 *
 * Source: openai-whisper 20250625, `normalizers/english.py`, EnglishNumberNormalizer.
 */
export const numberWords: ReadonlyMap<string, NumberWord> = new Map([
  ...each('o oh zero', { kind: 'zero' }),
  ['zeroth', { kind: 'one', value: 0n, suffix: 'th' }],
  ...ones.flatMap(onesEntries),
  ...tens.flatMap(tensEntries),
  ...multiplierEntries('hundred', 100n),
  ...thousands.flatMap((name, index) => multiplierEntries(name, 1000n ** BigInt(index + 1))),
  ...each('minus negative', { kind: 'sign', symbol: '-' }),
  ...each('plus positive', { kind: 'sign', symbol: '+' }),
  ...each('pound pounds', { kind: 'currency', symbol: '£' }),
  ...each('euro euros', { kind: 'currency', symbol: '€' }),
  ...each('dollar dollars', { kind: 'currency', symbol: '$' }),
  ...each('cent cents', { kind: 'currency', symbol: '¢' }),
  ['percent', { kind: 'percent' }],
  ['per', { kind: 'per' }],
  ['and', { kind: 'and' }],
  ['point', { kind: 'point' }],
  ['double', { kind: 'repeat', times: 2 }],
  ['triple', { kind: 'repeat', times: 3 }],
])
