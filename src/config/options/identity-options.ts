import { codeKeyKinds } from '../../../cache/records.js'
import { option } from '../option.js'
import { text, word, yesNo } from '../values/option-values.js'

/** Options that make another run, or other keys. */
export const identityOptions = {
  /** Make a numbered repeat instead of resuming the same run. @default false */
  newRun: option({
    flag: '--new-run',
    help: 'start a numbered repeat, instead of continuing the same run',
    ...yesNo,
    isIdentity: true,
    // The number is in the run spec (RunSpec.repeat).
    stored: 'no',
  }),
  /** New samples instead of stored answers. @default false */
  fresh: option({
    flag: '--fresh',
    help: 'send all requests again as new samples, instead of taking stored answers',
    ...yesNo,
    isIdentity: true,
    stored: 'unless-default',
  }),
  /** The identity of the backend's code in keys. @default 'revision' */
  codeKey: option({
    flag: '--code-key <kind>',
    help: 'what identifies the backend\'s code in keys: its "revision" (default), its "files", or the "commit"',
    ...word(codeKeyKinds),
    isIdentity: true,
    stored: (kind: (typeof codeKeyKinds)[number]) => (kind === 'revision' ? undefined : kind),
  }),
  /** A name of your own for the code, instead. */
  codeVersion: option({
    flag: '--code-version <text>',
    help: 'a name of your own for the code in keys',
    ...text(),
    isIdentity: true,
    stored: 'given',
  }),
}
