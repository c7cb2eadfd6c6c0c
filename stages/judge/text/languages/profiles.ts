import { readData } from '../../data-file.js'

/** How often each n-gram of up to three characters stands in texts of each language. */
export interface LanguageProfiles {
  readonly languages: readonly string[]
  /** The languages that have an n-gram, by their index, and its share of all that are as long; nothing where none has it. */
  sharesOf(gram: string): readonly (readonly [language: number, share: number])[] | undefined
  /** The Chinese character that stands for those which are as rare together, itself among them. */
  readonly kanji: ReadonlyMap<string, string>
}

interface Tables {
  readonly languages: readonly {
    readonly name: string
    readonly totals: readonly number[]
    /** One after another, by length. */
    readonly grams: readonly string[]
    readonly counts: readonly (readonly number[])[]
  }[]
  readonly kanji: readonly string[]
}

const file = {
  name: 'language-profiles',
  digest: '7acacedf9dd4d5a4dc8be26e794ab85ad0d4f8612e0e940592016ac11cc4543e',
}

let known: LanguageProfiles | undefined

/** The profiles of langdetect 1.0.9, 55 languages, made of Wikipedia's texts. Read once. */
export function languageProfiles(): LanguageProfiles {
  known ??= arrange(readData(file) as Tables)
  return known
}

function arrange({ languages, kanji }: Tables): LanguageProfiles {
  const shares = new Map<string, [number, number][]>()
  for (const [language, { totals, grams, counts }] of languages.entries())
    for (const [index, all] of grams.entries()) {
      const length = index + 1
      for (const [at, count] of (counts[index] ?? []).entries()) {
        const gram = all.slice(at * length, (at + 1) * length)
        const entry: [number, number] = [language, count / (totals[index] ?? 1)]
        const others = shares.get(gram)
        if (others === undefined) shares.set(gram, [entry])
        else others.push(entry)
      }
    }
  return {
    languages: languages.map(({ name }) => name),
    sharesOf: gram => shares.get(gram),
    kanji: new Map(kanji.flatMap(group => Array.from(group, character => [character, group.charAt(0)] as const))),
  }
}
