import { join } from 'node:path'
import { messageOf, PipelineError } from '../../../../base/errors.js'

/** Where NLTK keeps what is read of its data. */
export const nltkFolders = {
  wordnet: join('corpora', 'wordnet'),
  tagger: join('taggers', 'averaged_perceptron_tagger_eng'),
}

const wordnet = ['noun', 'verb', 'adj', 'adv'].flatMap(part => [`index.${part}`, `data.${part}`, `${part}.exc`])
const tagger = ['weights', 'tagdict', 'classes'].map(name => `averaged_perceptron_tagger_eng.${name}.json`)

/** The files that are read, of NLTK's folder of data. */
export const nltkFiles: readonly string[] = [
  ...wordnet.map(name => join(nltkFolders.wordnet, name)),
  ...tagger.map(name => join(nltkFolders.tagger, name)),
]

/** Where the data can't be read: what to do. */
export const unreadable = (folder: string, error: unknown): PipelineError =>
  new PipelineError(
    'config',
    `NLTK's data in ${folder} can't be read: ${messageOf(error)}; it is to hold the folders ${nltkFolders.wordnet} (WordNet 3.0: ` +
      `unpack wordnet.zip) and ${nltkFolders.tagger}`,
    { cause: error },
  )
