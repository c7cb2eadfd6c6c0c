import { join } from 'node:path'
import { z } from 'zod'
import { openTagger, type Tagger } from '../../text/tagger/perceptron-tagger.js'
import { openWordNet, type WordNet } from '../../text/wordnet/wordnet.js'
import { nltkFolders, unreadable } from './nltk-files.js'

/** What is known of English beyond this program. */
export interface LanguageData {
  readonly wordnet: WordNet
  readonly tagger: Tagger
}

/** Where NLTK's data are, and the digest of those files, so that scores depend on what they hold. */
export const languageDataArgs = {
  nltk_data: z.string({
    error:
      "WUPS needs WordNet and NLTK's tagger: give the folder of NLTK's data (`python -m nltk.downloader wordnet averaged_perceptron_tagger_eng`) " +
      'as NLTK_DATA, or as nltk_data of the metric',
  }),
  sha256: z.string().optional(),
}

const known = new Map<string, LanguageData>()

/**
 * Read once a folder.
 *
 * @throws PipelineError where a file is missing or of another form.
 */
export function languageData(folder: string): LanguageData {
  const found = known.get(folder) ?? read(folder)
  known.set(folder, found)
  return found
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
