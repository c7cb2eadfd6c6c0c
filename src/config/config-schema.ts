import { z } from 'zod'
import { envKeys } from './config-env.js'
import { fileKeys } from './option.js'
import { allOptions, lineOptions, lmmsOptions } from './options.js'
import { unusedKeys } from './unused-keys.js'

/** What may stand in `--config FILE.yaml`: the flags of `eval`, by their name with underscores. Descriptions go into errors. */
export const configSchema = z.strictObject({
  ...fileKeys(allOptions),
  ...fileKeys(lineOptions),
  ...fileKeys(lmmsOptions),
  ...envKeys,
  ...unusedKeys,
})

export type Config = z.output<typeof configSchema>

/** What is expected of a key. */
export const expectationOf = (key: string): string | undefined =>
  Object.entries(configSchema.shape)
    .find(([name]) => name === key)?.[1]
    .unwrap().description
