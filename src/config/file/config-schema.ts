import { z } from 'zod'
import { envKeys } from './config-env.js'
import { fileKeys } from '../option.js'
import { allOptions } from '../options.js'
import { lineOptions, lmmsOptions } from '../options/line-options.js'
import { lmmsTrackOptions, trackOptions } from '../options/track-options.js'
import { unusedKeys } from './unused-keys.js'

/** The schema of `--config FILE.yaml`: the flags of `eval`, with underscores. Errors quote the descriptions. */
export const configSchema = z.strictObject({
  ...fileKeys(allOptions),
  ...fileKeys(lineOptions),
  ...fileKeys(lmmsOptions),
  ...fileKeys(trackOptions),
  ...fileKeys(lmmsTrackOptions),
  ...envKeys,
  ...unusedKeys,
})

export type Config = z.output<typeof configSchema>

/** Returns the description of a key's value. Nested values have none. */
export const expectationAt = ([key, ...inner]: readonly PropertyKey[]): string | undefined =>
  inner.length > 0
    ? undefined
    : Object.entries(configSchema.shape)
        .find(([name]) => name === key)?.[1]
        .unwrap().description
