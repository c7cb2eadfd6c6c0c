import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitWhiteSpace } from '../../../../base/white-space.js'

/** Nouns, verbs, adjectives and adverbs, in the order in which senses of a word are looked for. */
export const parts = ['n', 'v', 'a', 'r'] as const
export type Part = (typeof parts)[number]

const suffixes: Readonly<Record<Part, string>> = { n: 'noun', v: 'verb', a: 'adj', r: 'adv' }

/** The files of one part of speech. An offset is the eight digits with which a synset's line begins. */
export interface PartFiles {
  /** Irregular forms, with the words that they are forms of. */
  readonly irregular: ReadonlyMap<string, readonly string[]>
  readonly has: (word: string) => boolean
  /** The offsets of the senses of a word in small letters, the most frequent first. */
  readonly senses: (word: string) => readonly string[]
  /** The line of a synset up to its gloss. */
  readonly synset: (offset: string) => string | undefined
}

/**
 * Source: wndb(5WN), WordNet 3.0.
 *
 * @throws where a file is missing or of another form.
 */
export function readPart(folder: string, part: Part): PartFiles {
  const suffix = suffixes[part]
  const lines = (name: string): readonly string[] => readFileSync(join(folder, name), 'utf8').split('\n')
  // The licence stands at the head of each file, in lines that begin with a space.
  const entries = (name: string): ReadonlyMap<string, string> =>
    new Map(lines(name).flatMap(line => (line === '' || line.startsWith(' ') ? [] : [[firstOf(line), line]])))
  const [index, synsets] = [entries(`index.${suffix}`), entries(`data.${suffix}`)]
  return {
    irregular: new Map(lines(`${suffix}.exc`).flatMap(irregular)),
    has: word => index.has(word),
    senses: word => sensesOf(index.get(word) ?? ''),
    synset: offset => synsets.get(offset)?.replace(/\|.*/s, ''),
  }
}

const firstOf = (line: string): string => line.slice(0, line.indexOf(' '))

function irregular(line: string): readonly (readonly [string, readonly string[]])[] {
  const [form, ...words] = splitWhiteSpace(line)
  return form === undefined ? [] : [[form, words]]
}

/** `lemma pos synset_cnt p_cnt [ptr_symbol…] sense_cnt tagsense_cnt synset_offset…` */
function sensesOf(line: string): readonly string[] {
  const [, , count = '0', ...rest] = splitWhiteSpace(line)
  return count === '0' ? [] : rest.slice(-Number(count))
}
