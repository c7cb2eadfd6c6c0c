import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import { expectFileSync } from '../../../../base/files/files.js'
import { sha256 } from '../../../../cache/digest.js'
import type { MetricResource } from '../../define/define-metric.js'
import { openTagger, type Tagger } from './perceptron-tagger.js'
import { openWordNet, type WordNet } from './wordnet.js'

/** The folders below NLTK's data folder. */
const nltkFolders = {
  wordnet: join('corpora', 'wordnet'),
  tagger: join('taggers', 'averaged_perceptron_tagger_eng'),
}

const wordnet = ['noun', 'verb', 'adj', 'adv'].flatMap(part => [`index.${part}`, `data.${part}`, `${part}.exc`])
const tagger = ['weights', 'tagdict', 'classes'].map(name => `averaged_perceptron_tagger_eng.${name}.json`)

/** The files that are read, relative to NLTK's data folder. */
const nltkFiles: readonly string[] = [
  ...wordnet.map(name => join(nltkFolders.wordnet, name)),
  ...tagger.map(name => join(nltkFolders.tagger, name)),
]

/** The error for data that can't be read. It says how to get the data. */
const unreadable = (folder: string, error: unknown): PipelineError =>
  new PipelineError(
    'config',
    `NLTK's data in ${folder} can't be read: ${messageOf(error)}; it is to hold the folders ${nltkFolders.wordnet} (WordNet 3.0: ` +
      `unpack wordnet.zip) and ${nltkFolders.tagger}`,
    { cause: error },
  )

/** Linguistic data of English that is not part of the program. */
export interface LanguageData {
  readonly wordnet: WordNet
  readonly tagger: Tagger
}

/** NLTK's data. The digest of the files is added to the arguments, so that score keys change with their content. */
export const nltkData: MetricResource = {
  argument: 'nltk_data',
  variable: 'NLTK_DATA',
  isSearchPath: true,
  what: "WordNet and NLTK's tagger are",
  howToGet:
    "WUPS needs WordNet and NLTK's tagger: give the folder of NLTK's data (`python -m nltk.downloader wordnet averaged_perceptron_tagger_eng`) " +
    'as NLTK_DATA, or as nltk_data of the metric',
  inspect: folder => ({ sha256: computeDigest(folder) }),
}

export const languageDataArgs = {
  nltk_data: z.string({ error: nltkData.howToGet }),
  sha256: z.string().optional(),
}

const dataByFolder = new Map<string, LanguageData>()

/**
 * Reads the data of a folder. Each folder is read once.
 *
 * @throws PipelineError if a file is missing or malformed.
 */
export function languageData(folder: string): LanguageData {
  const folderData = dataByFolder.get(folder) ?? read(folder)
  dataByFolder.set(folder, folderData)
  return folderData
}

function read(folder: string): LanguageData {
  try {
    return {
      wordnet: openWordNet(join(folder, nltkFolders.wordnet)),
      tagger: openTagger(join(folder, nltkFolders.tagger)),
    }
  } catch (error) {
    throw unreadable(folder, error)
  }
}

function computeDigest(folder: string): string {
  try {
    const digests = nltkFiles.map(name => {
      try {
        expectFileSync(join(folder, name))
        return sha256(readFileSync(join(folder, name)))
      } catch (error) {
        throw new Error(`${name}: ${messageOf(error)}`, { cause: error })
      }
    })
    return sha256(digests.join('\n')).replace('sha256:', '')
  } catch (error) {
    throw unreadable(folder, error)
  }
}
