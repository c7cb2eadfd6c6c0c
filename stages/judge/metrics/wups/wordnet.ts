import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitWhiteSpace } from '../../../../base/python/white-space.js'

/** A synset: one sense, which several words can share. */
export interface Synset {
  readonly part: Part
  /**
   * A name such as `dog.n.01`: the first word, the part of speech, and the number of the word's sense. The part is
   * `n`, `v`, `a`, `s` (satellite adjective) or `r`.
   */
  readonly name: string
  /** The synsets of which it is a kind or an instance. */
  readonly hypernyms: () => readonly Synset[]
}

export interface WordNet {
  /**
   * The words of a part of speech of which `form` is an inflected form; `form` itself comes first if it is a word.
   * It is in lower case.
   */
  readonly lemmas: (form: string, part: Part) => readonly string[]
  /** Returns whether WordNet knows a word of this form, even if several endings must be removed. */
  readonly knows: (form: string) => boolean
  /** The first sense of the first part of speech that has the word. */
  readonly firstSense: (word: string) => Synset | undefined
}

/**
 * WordNet as NLTK 3.9.1 reads it, from a folder with the files of its database (`index.noun`, `data.noun`,
 * `noun.exc`, …).
 *
 * Source: Miller, "WordNet: a lexical database for English" (1995); NLTK 3.9.1, `corpus/reader/wordnet.py`.
 *
 * @throws if a file is missing or malformed.
 */
export function openWordNet(folder: string): WordNet {
  const files = Object.fromEntries(parts.map(part => [part, readPart(folder, part)])) as Record<Part, PartFiles>
  const synset = makeSynsetLookup(files)
  const lemmas = (form: string, part: Part, depth: Depth = 'once'): readonly string[] =>
    baseForms(form, { part, files: files[part], depth })
  return {
    lemmas: (form, part) => lemmas(form, part),
    knows: form => parts.some(part => lemmas(form.toLowerCase(), part, 'repeated').length > 0),
    firstSense(word) {
      for (const part of parts) {
        const [lemma = ''] = lemmas(word.toLowerCase(), part)
        const [offset] = files[part].senses(lemma)
        if (offset !== undefined) return synset(part, offset)
      }
      return undefined
    },
  }
}

/** Returns synsets by offset, and creates each one once. */
function makeSynsetLookup(files: Readonly<Record<Part, PartFiles>>): (part: Part, offset: string) => Synset {
  const synsets = new Map<string, Synset>()
  const make = (part: Part, offset: string): Synset => {
    const line = files[part].synset(offset)
    if (line === undefined) throw new Error(`WordNet has no synset ${offset} of "${part}"`)
    const { type, word, hypernyms } = parseSynsetLine(line)
    const sense = files[part].senses(word).indexOf(offset) + 1
    let above: readonly Synset[] | undefined
    return {
      part,
      name: `${word}.${type}.${String(sense).padStart(2, '0')}`,
      hypernyms: () => (above ??= hypernyms.map(hypernym => synset(...hypernym))),
    }
  }
  const synset = (part: Part, offset: string): Synset => {
    const key = part + offset
    const cachedSynset = synsets.get(key) ?? make(part, offset)
    synsets.set(key, cachedSynset)
    return cachedSynset
  }
  return synset
}

interface Fields {
  readonly type: string
  /** The first word, in lower case and without its marker. */
  readonly word: string
  readonly hypernyms: readonly (readonly [Part, string])[]
}

/**
 * Parses a line `synset_offset lex_filenum ss_type w_cnt word lex_id [word lex_id…] p_cnt [ptr_symbol synset_offset
 * pos source/target…]`; `w_cnt` is hexadecimal.
 */
function parseSynsetLine(line: string): Fields {
  const [, , type = '', count = '', ...rest] = splitWhiteSpace(line)
  const pointers = rest.slice(2 * parseInt(count, 16) + 1)
  const hypernyms: (readonly [Part, string])[] = []
  for (let at = 0; at + 3 < pointers.length; at += 4) {
    const [symbol, offset = '', part] = pointers.slice(at)
    if (symbol === '@' || symbol === '@i') hypernyms.push([part === 'v' ? 'v' : 'n', offset])
  }
  return { type, word: (rest[0] ?? '').replace(/\(.*\)$/, '').toLowerCase(), hypernyms }
}

/** Nouns, verbs, adjectives and adverbs, in the order in which a word's senses are searched. */
const parts = ['n', 'v', 'a', 'r'] as const
export type Part = (typeof parts)[number]

const suffixes: Readonly<Record<Part, string>> = { n: 'noun', v: 'verb', a: 'adj', r: 'adv' }

/** The files of one part of speech. An offset is the eight digits at the start of a synset's line. */
interface PartFiles {
  /** Irregular forms and their base forms. */
  readonly irregular: ReadonlyMap<string, readonly string[]>
  readonly has: (word: string) => boolean
  /** The offsets of a word's senses, the most frequent first. The word is in lower case. */
  readonly senses: (word: string) => readonly string[]
  /** The line of a synset, up to its gloss. */
  readonly synset: (offset: string) => string | undefined
}

/**
 * Reads the files of a part of speech.
 *
 * Source: wndb(5WN), WordNet 3.0.
 *
 * @throws if a file is missing or malformed.
 */
function readPart(folder: string, part: Part): PartFiles {
  const suffix = suffixes[part]
  const lines = (name: string): readonly string[] => readFileSync(join(folder, name), 'utf8').split('\n')
  // Each file starts with the licence, in lines that begin with a space.
  const entries = (name: string): ReadonlyMap<string, string> =>
    new Map(lines(name).flatMap(line => (line === '' || line.startsWith(' ') ? [] : [[readFirstField(line), line]])))
  const [index, synsets] = [entries(`index.${suffix}`), entries(`data.${suffix}`)]
  return {
    irregular: new Map(lines(`${suffix}.exc`).flatMap(irregular)),
    has: word => index.has(word),
    senses: word => parseSenses(index.get(word) ?? ''),
    synset: offset => synsets.get(offset)?.replace(/\|.*/s, ''),
  }
}

const readFirstField = (line: string): string => line.slice(0, line.indexOf(' '))

function irregular(line: string): readonly (readonly [string, readonly string[]])[] {
  const [form, ...words] = splitWhiteSpace(line)
  return form === undefined ? [] : [[form, words]]
}

/** Parses a line `lemma pos synset_cnt p_cnt [ptr_symbol…] sense_cnt tagsense_cnt synset_offset…`. */
function parseSenses(line: string): readonly string[] {
  const [, , count = '0', ...rest] = splitWhiteSpace(line)
  return count === '0' ? [] : rest.slice(-Number(count))
}

/** Endings and their replacements. */
const endings: Readonly<Record<Part, readonly (readonly [string, string])[]>> = {
  n: pairs('s> ses>s ves>f xes>x zes>z ches>ch shes>sh men>man ies>y'),
  v: pairs('s> ies>y es>e es> ed>e ed> ing>e ing>'),
  a: pairs('er> est> er>e est>e'),
  r: [],
}

function pairs(text: string): readonly (readonly [string, string])[] {
  return text.split(' ').map(pair => {
    const [ending = '', instead = ''] = pair.split('>')
    return [ending, instead]
  })
}

/** The number of endings to remove: one, or as many as it takes to find a word. */
type Depth = 'once' | 'repeated'

/**
 * The words in WordNet of which `form` is an inflected form: itself, then the exceptions if it is one, else the
 * words that remain without an ending.
 *
 * Source: morphy(7WN), as in NLTK 3.9.1 (`once`) and wn 0.0.23 (`repeated`).
 */
function baseForms(
  form: string,
  { part, files, depth }: { readonly part: Part; readonly files: PartFiles; readonly depth: Depth },
): readonly string[] {
  const inWordNet = (forms: readonly string[]): readonly string[] => [...new Set(forms.filter(files.has))]
  const exceptions = files.irregular.get(form)
  if (exceptions !== undefined) return inWordNet([form, ...exceptions])
  let shorter = without([form], part)
  let lemmas = inWordNet([form, ...shorter])
  while (depth === 'repeated' && lemmas.length === 0 && shorter.length > 0) {
    shorter = without(shorter, part)
    lemmas = inWordNet(shorter)
  }
  return lemmas
}

const without = (forms: readonly string[], part: Part): readonly string[] =>
  forms.flatMap(form =>
    endings[part].flatMap(([ending, instead]) =>
      form.endsWith(ending) ? [form.slice(0, form.length - ending.length) + instead] : [],
    ),
  )
