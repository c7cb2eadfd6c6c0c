import { splitWhiteSpace } from '../../../../base/white-space.js'
import { baseForms, type Depth } from './base-forms.js'
import { parts, readPart, type Part, type PartFiles } from './wordnet-files.js'

/** One sense, which several words may share. */
export interface Synset {
  readonly part: Part
  /** `dog.n.01`: its first word, `n`, `v`, `a`, `s` (an adjective beside another) or `r`, and which of the word's senses it is. */
  readonly name: string
  /** What it is a kind or an instance of. */
  readonly hypernyms: () => readonly Synset[]
}

export interface WordNet {
  /** The words of a part of speech that `form` is a form of, itself first where it is one; `form` is in small letters. */
  readonly lemmas: (form: string, part: Part) => readonly string[]
  /** Whether anything is known by this form, also where several endings have to be taken off. */
  readonly knows: (form: string) => boolean
  /** The first sense of the first part of speech that has the word. */
  readonly firstSense: (word: string) => Synset | undefined
}

/**
 * WordNet as NLTK 3.9.1 reads it, of a folder with the files of its database (`index.noun`, `data.noun`, `noun.exc`, …).
 *
 * Source: Miller, "WordNet: a lexical database for English" (1995); NLTK 3.9.1, `corpus/reader/wordnet.py`.
 *
 * @throws where a file is missing or of another form.
 */
export function openWordNet(folder: string): WordNet {
  const files = Object.fromEntries(parts.map(part => [part, readPart(folder, part)])) as Record<Part, PartFiles>
  const synset = synsetsOf(files)
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

/** Each synset is made once. */
function synsetsOf(files: Readonly<Record<Part, PartFiles>>): (part: Part, offset: string) => Synset {
  const known = new Map<string, Synset>()
  const make = (part: Part, offset: string): Synset => {
    const line = files[part].synset(offset)
    if (line === undefined) throw new Error(`WordNet has no synset ${offset} of "${part}"`)
    const { type, word, hypernyms } = fieldsOf(line)
    const sense = files[part].senses(word).indexOf(offset) + 1
    let above: readonly Synset[] | undefined
    return {
      part,
      name: `${word}.${type}.${String(sense).padStart(2, '0')}`,
      hypernyms: () => (above ??= hypernyms.map(one => synset(...one))),
    }
  }
  const synset = (part: Part, offset: string): Synset => {
    const key = part + offset
    const found = known.get(key) ?? make(part, offset)
    known.set(key, found)
    return found
  }
  return synset
}

interface Fields {
  readonly type: string
  /** The first word, in small letters and without its marker. */
  readonly word: string
  readonly hypernyms: readonly (readonly [Part, string])[]
}

/** `synset_offset lex_filenum ss_type w_cnt word lex_id [word lex_id…] p_cnt [ptr_symbol synset_offset pos source/target…]`; `w_cnt` is hexadecimal. */
function fieldsOf(line: string): Fields {
  const [, , type = '', count = '', ...rest] = splitWhiteSpace(line)
  const pointers = rest.slice(2 * parseInt(count, 16) + 1)
  const hypernyms: (readonly [Part, string])[] = []
  for (let at = 0; at + 3 < pointers.length; at += 4) {
    const [symbol, offset = '', part] = pointers.slice(at)
    if (symbol === '@' || symbol === '@i') hypernyms.push([part === 'v' ? 'v' : 'n', offset])
  }
  return { type, word: (rest[0] ?? '').replace(/\(.*\)$/, '').toLowerCase(), hypernyms }
}
