import { z } from 'zod'
import { codeKeyKinds } from '../../cache/records.js'
import { parities } from '../../stages/judge/parity.js'
import { dispatchOrders } from '../../stages/model/schedule/loop/dispatch-order.js'
import { batchKeys } from './batches.js'
import { envKeys } from './config-env.js'
import { hedgeKeys } from './hedge.js'
import { limitKeys } from './limits.js'
import { seedKeys } from './seed.js'
import { selectionKeys } from './selection.js'
import { unusedKeys } from './unused-keys.js'
import { toolKeys } from './tool-servers.js'

const texts = z
  .union([z.string(), z.array(z.string())])
  .transform(value => (typeof value === 'string' ? [value] : value))

const argumentMap = z.union([z.string(), z.record(z.string(), z.json())])

/** What may stand in `--config FILE.yaml`: the flags of `eval`, by their name with underscores. Descriptions go into errors. */
export const configSchema = z.strictObject({
  model: z.string().describe('the name of a model backend').optional(),
  model_args: argumentMap.describe('a mapping of arguments, or a text such as a=1,b=x').optional(),
  tasks: texts.describe('a task, or a list of tasks').optional(),
  gen_kwargs: argumentMap.describe('a mapping of generation kwargs, or a text such as temperature=0').optional(),
  judge_model: z.string().describe('the name of a model backend').optional(),
  judge_args: argumentMap.describe('a mapping of arguments, or a text such as a=1,b=x').optional(),
  parity: z
    .enum(parities)
    .describe(parities.map(name => `"${name}"`).join(' or '))
    .optional(),
  ...selectionKeys,
  num_fewshot: z.int().nonnegative().describe('a whole number, 0 or more').optional(),
  system_instruction: z.string().describe('a text, or a file of it').optional(),
  repeats: z.int().positive().describe('a whole number, 1 or more').optional(),
  fewshot_as_multiturn: z.boolean().describe('true or false').optional(),
  fewshot_seed: z.int().nonnegative().describe('a whole number, 0 or more').optional(),
  ...seedKeys,
  force_simple: z.boolean().describe('true or false').optional(),
  concurrency: z
    .union([z.int().positive(), z.literal('adaptive')])
    .describe('a whole number, 1 or more, or "adaptive"')
    .optional(),
  max_concurrency: z.int().positive().describe('a whole number, 1 or more').optional(),
  order: z
    .enum(dispatchOrders)
    .describe(dispatchOrders.map(name => `"${name}"`).join(' or '))
    .optional(),
  ...hedgeKeys,
  ...limitKeys,
  max_tokens: z.int().nonnegative().describe('a whole number, 0 or more').optional(),
  ...batchKeys,
  ...toolKeys,
  retry_failed: z.boolean().describe('true or false').optional(),
  new_run: z.boolean().describe('true or false').optional(),
  fresh: z.boolean().describe('true or false').optional(),
  code_key: z.enum(codeKeyKinds).describe('"revision", "files" or "commit"').optional(),
  code_version: z.string().describe('a text').optional(),
  store: z.string().describe('a folder').optional(),
  include_path: texts.describe('a folder, or a list of folders').optional(),
  plugin: texts.describe('a file or package, or a list of them').optional(),
  output_path: z.string().describe('a folder').optional(),
  predict_only: z.boolean().describe('true or false').optional(),
  log_samples: z.boolean().describe('true or false').optional(),
  ...envKeys,
  ...unusedKeys,
})

export type Config = z.output<typeof configSchema>

/** What is expected of a key. */
export const expectationOf = (key: string): string | undefined =>
  Object.entries(configSchema.shape)
    .find(([name]) => name === key)?.[1]
    .unwrap().description
