import { whole, type Rational } from './rational.js'

const powers: readonly (readonly [power: number, words: string])[] = [
  [2, 'hundred|百|백'],
  [3, '(?<=\\p{Sc}\\s?[\\d.,]+)k|thousand|mil|mille|Tausend|tausend|тыс|тысяч[аи]?|千|천|พัน|nghìn|ngàn|हज़ार|हजार|ألف'],
  [4, '万|萬|만|หมื่น'],
  [5, 'lakhs?|लाख|แสน'],
  [
    6,
    '(?<=\\p{Sc}\\s?[\\d.,]+)m|million(?:s|en)?|mio|millón|millones|milhão|milhões|млн|миллион(?:а|ов)?|triệu|ล้าน|مليون',
  ],
  [7, 'crores?|करोड़'],
  [8, '億|亿|억'],
  [9, '(?<=\\p{Sc}\\s?[\\d.,]+)b|billion|bn|Milliarden?|milliards?|mrd|млрд|миллиард(?:а|ов)?|tỷ|مليار'],
  [12, 'trillion|трлн|триллион(?:а|ов)?|兆|조(?!각)'],
]

const multiplierPattern = new RegExp(
  `[\\s-]?(?:${powers.map(([power, words]) => `(?<p${String(power)}>${words})`).join('|')})` +
    '(?:(?<=[a-zA-Zа-яА-Я])(?![\\p{L}\\p{N}])\\.?|(?<![a-zA-Zа-яА-Я])(?<!千(?=[米克瓦卡赫字焦帕伏])))',
  'yiu',
)

/** Matches a letter that touches a number, as in `2.5M`. `12m` is a length. */
const attached = /(?<=\d)(?<p6>M)(?![\p{L}\p{N}²³^/])/uy

/** Finds a word at a position that multiplies the number before it: `million`, `万`, `M`, and `k` of an amount of money. Units such as 千米 (kilometre) are none. */
export function matchMultiplier(text: string, at: number): RegExpExecArray | undefined {
  for (const pattern of [multiplierPattern, attached]) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match !== null) return match
  }
  return undefined
}

/** The factor of a match of {@link matchMultiplier}. */
export function readFactor(match: RegExpExecArray): Rational {
  const namedGroup = Object.entries(match.groups ?? {}).find(([, word]) => (word as string | undefined) !== undefined)
  return whole(10n ** BigInt(namedGroup?.[0].slice(1) ?? '0'))
}
