/** All options of an evaluation, by group. option.ts explains the entries. */
import { limitOptions } from './limits.js'
import { aboutOptions } from './options/about-options.js'
import { identityOptions } from './options/identity-options.js'
import { judgeOptions } from './options/judge-options.js'
import { promptOptions } from './options/prompt-options.js'
import { scoringOptions } from './options/scoring-options.js'
import { batchOptions, sendingOptions } from './options/sending-options.js'
import {
  generationOptions,
  pluginOptions,
  pythonOptions,
  storeOptions,
  subjectOptions,
  taskFolderOptions,
} from './options/subject-options.js'
import { selectionOptions } from './values/selection.js'
import { toolOptions } from './values/tool-servers.js'

/** Groups of options that need no further conversion. The library accepts all of them. */
export const plainOptions = {
  ...selectionOptions,
  ...promptOptions,
  ...scoringOptions,
  ...sendingOptions,
  ...batchOptions,
  ...limitOptions,
  ...toolOptions,
  judgeModel: judgeOptions.judgeModel,
  judgeOverride: judgeOptions.judgeOverride,
  parity: judgeOptions.parity,
  ...identityOptions,
  ...aboutOptions,
  ...pythonOptions,
}

/** Every option of an evaluation. */
export const allOptions = {
  ...subjectOptions,
  ...judgeOptions,
  ...generationOptions,
  ...plainOptions,
  ...taskFolderOptions,
  ...pluginOptions,
  ...storeOptions,
}
