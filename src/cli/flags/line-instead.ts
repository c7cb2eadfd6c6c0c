/** Suggests a command for a command line of lmms-eval with a model that it loads itself. */
import type { Command } from 'commander'
import { shownPath } from '../../../base/files/shown-path.js'
import { shellWord } from '../../../base/text/shell-word.js'
import { fromLmms } from '../../../stages/model/lmms-arguments.js'
import { servedWeights, standInFor } from '../../../stages/model/lmms-models.js'
import { findBackend } from '../../../stages/model/registry.js'
import { parseArguments } from '../../config/argument-string.js'
import { withoutSecretValues } from '../../config/secrets.js'
import type { EvalSettings } from '../../config/settings.js'
import { unusedFlags } from './unused-flags.js'

/** A typed command line, starting with the command. */
export interface TypedLine {
  readonly words: readonly string[]
  readonly options: Command['options']
}

/** The arguments that name the weights of lmms-eval's models. */
const namesOfWeights = ['pretrained', 'model', 'model_version', 'model_path', 'model_name_or_path']

/**
 * Suggests two replacements for a typed command with an lmms-eval model: with an engine, and with lmms-eval's class in a Python process. Commands are
 * on separate lines.
 *
 * @returns undefined if lmms-eval has no such model
 */
export async function lineInstead(
  { model, modelArgs }: Pick<EvalSettings, 'model' | 'modelArgs'>,
  line: TypedLine,
): Promise<string | undefined> {
  const standIn = standInFor(model)
  if (standIn === undefined) return undefined
  const backend = await findBackend(standIn.backend, [])
  const entries = Object.entries(withoutSecretValues(modelArgs) as Record<string, unknown>)
  const others = entries.filter(([name]) => !namesOfWeights.includes(name))
  const fates = others.map(([name, value]) => {
    const { args, note, generation } = fromLmms(backend, { [name]: value })
    const isUnknown = name in args && !(name in backend.args)
    return { name, value, isUnknown, isKept: generation !== undefined || (note === undefined && !isUnknown) }
  })
  const weights = namesOfWeights.map(name => entries.find(([other]) => other === name)?.[1]).find(isText)
  const keptEntries = fates.filter(({ isKept }) => isKept).map(({ name, value }) => [name, value] as const)
  const args: Readonly<Record<string, unknown>> = {
    model: (weights === undefined ? standIn.model : servedWeights(weights)) ?? 'ORG/NAME',
    ...standIn.args,
    ...Object.fromEntries(keptEntries),
  }
  const lost = fates.filter(({ isKept }) => !isKept).map(({ name }) => name)
  const sentences = [
    standIn.why,
    ...(lost.length === 0 ? [] : [`Left out, since ${backend.id} has no such argument: ${lost.join(', ')}.`]),
    ...refusedFromFile(
      fates.filter(({ isUnknown }) => isUnknown).map(({ name }) => name),
      line,
    ),
  ]
  const [command = 'eval', ...rest] = line.words
  const formatCommand = (backendId: string, modelArguments: Readonly<Record<string, unknown>>): string => {
    const flags = ['--model', backendId, '--model-args', argumentText(modelArguments)]
    return ['pipeline', command, ...flags, ...otherFlags(rest, line.options)].map(shellWord).join(' ')
  }
  const own =
    standIn.hasClass === true
      ? `\nOr this one, which loads lmms-eval's own class and the weights into a Python process:\n${formatCommand('lmms', { class: model, ...Object.fromEntries(entries) })}`
      : ''
  return `${sentences.join(' ')} Use this line:\n${formatCommand(standIn.backend, args)}${own}`
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Leaves out arguments of a configuration file, because the suggested command names the same file. */
function refusedFromFile(unknown: readonly string[], { words, options }: TypedLine): readonly string[] {
  const typed = parseFlags(words.slice(1), options)
  const file = typed.find(({ name }) => name === '--config')?.value
  const texts = typed.flatMap(({ name, value }) => (name === '--model-args' && value !== undefined ? [value] : []))
  const onLine = Object.keys(parseArguments(texts, '--model-args'))
  const namesInFile = unknown.filter(name => !onLine.includes(name))
  if (file === undefined || namesInFile.length === 0) return []
  return [`First take ${namesInFile.join(', ')} out of model_args in ${shownPath(file)}.`]
}

/** Writes arguments as `a=1,b=x` if possible, else as JSON. */
function argumentText(args: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(args)
  const isPlain = entries.every(([, value]) => /^[\w@%+:./~-]+$/.test(String(value)) && typeof value !== 'object')
  return isPlain ? entries.map(([name, value]) => `${name}=${String(value)}`).join(',') : JSON.stringify(args)
}

interface TypedFlag {
  /** In its long form; absent of a word that is none. */
  readonly name?: string
  readonly value?: string
  readonly words: readonly string[]
}

/** Selects the flags to keep in a suggested command: all except the model, its arguments, and flags without effect. */
const otherFlags = (words: readonly string[], options: TypedLine['options']): readonly string[] => {
  const dropped = new Set([
    '--model',
    '--model-args',
    ...unusedFlags.flatMap(({ flags }) => /--[a-z-]+/.exec(flags) ?? []),
  ])
  return parseFlags(words, options).flatMap(flag => (dropped.has(flag.name ?? '') ? [] : flag.words))
}

function parseFlags(words: readonly string[], options: TypedLine['options']): readonly TypedFlag[] {
  const flags: TypedFlag[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    const typed = equals < 0 ? word : word.slice(0, equals)
    const option = options.find(({ long, short }) => typed === long || typed === short)
    const name = option?.long === undefined ? {} : { name: option.long }
    const next = words[at + 1]
    const takesNext =
      option !== undefined &&
      equals < 0 &&
      next !== undefined &&
      (option.required || (option.optional && !next.startsWith('-')))
    if (takesNext) at++
    const value = takesNext ? next : equals < 0 ? undefined : word.slice(equals + 1)
    flags.push({ ...name, ...(value === undefined ? {} : { value }), words: takesNext ? [word, next] : [word] })
  }
  return flags
}
