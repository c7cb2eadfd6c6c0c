/** Converts the flags of a service to its settings. */
import { realpathSync } from 'node:fs'
import { isIP } from 'node:net'
import { messageOf, PipelineError } from '../../base/errors/errors.js'
import { present } from '../../base/values/present.js'
import type { FlagsOf } from '../config/option.js'
import type { pythonOptions } from '../config/options/subject-options.js'
import type { JobPolicyFlags, ServerFlags, WorkFlags, workerOptions } from '../config/service-options.js'
import type { PythonSettings } from '../config/settings.js'
import type { JobPolicy } from './policy/job-policy.js'
import type { ServiceSettings } from './service.js'

type PythonFlags = FlagsOf<typeof pythonOptions>

interface ExtensionFlags extends PythonFlags {
  readonly store?: string
  readonly includePath?: readonly string[]
  readonly plugin?: readonly string[]
}

/** The flags of `serve`. */
export type ServeFlags = ExtensionFlags & JobPolicyFlags & WorkFlags & ServerFlags

/** The flags of `worker`. */
export type WorkerFlags = ExtensionFlags &
  JobPolicyFlags &
  Pick<WorkFlags, 'maxJobsPerModel'> &
  FlagsOf<typeof workerOptions>

/** The default address that a server listens on. */
export const loopback = '127.0.0.1'
/** The default port of the service. */
export const defaultPort = 7310
/** The default port of the viewer. */
export const defaultViewerPort = 7300

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host)

/**
 * The settings of a server.
 *
 * @param hasTokens whether the store has any token
 * @param hasSessions whether the server prints a link that begins a session. Each request then needs a session or a token.
 * @throws PipelineError (usage) where the service would be open to the network without tokens
 */
export function serviceSettings(
  flags: ServeFlags,
  { hasTokens, hasSessions = false }: { readonly hasTokens: boolean; readonly hasSessions?: boolean },
): ServiceSettings {
  const { host = loopback, allowHost = [], maxRate = 1000 } = flags
  const isOpen = !isLoopback(host) || allowHost.some(name => !isLoopback(name))
  const needsToken = hasSessions || isOpen || flags.requireToken === true
  if (needsToken && !hasTokens && !hasSessions)
    throw new PipelineError(
      'usage',
      `a service that ${isOpen ? 'others can reach' : 'asks for tokens'} needs at least one token. Make one: pipeline serve token new --name NAME`,
    )
  // A wildcard address such as `0.0.0.0` is no name that a client uses.
  const own = isIP(host) !== 0 && /^[0:.[\]]+$/.test(host) ? [] : [isIP(host) === 6 ? `[${host}]` : host]
  return {
    hosts: [...new Set([...loopbackNames, ...own, ...allowHost].map(name => name.toLowerCase()))],
    origins: (flags.allowOrigin ?? []).map(origin => origin.toLowerCase().replace(/\/$/, '')),
    needsToken,
    maxBodyBytes: (flags.maxBodyKb ?? 1024) * 1024,
    rate: { perSecond: maxRate, burst: maxRate * 2 },
    maxQueue: flags.maxQueue ?? 10_000,
    keepJobs: flags.keepJobs ?? 10_000,
    includePaths: flags.includePath ?? [],
    plugins: flags.plugin ?? [],
    python: pythonSettings(flags),
  }
}

/** The settings of Python code of tasks, which all jobs have. */
export const pythonSettings = ({ python, allowNetwork, pythonSeconds, pythonMemoryMb }: PythonFlags): PythonSettings =>
  present({ python, allowNetwork, pythonSeconds, pythonMemoryMb })

/**
 * Builds the policy for the names in jobs from the flags of a server or worker.
 *
 * @throws PipelineError (usage) if a folder, address or variable does not exist
 */
export function jobPolicy(flags: JobPolicyFlags, env: Readonly<Record<string, string | undefined>>): JobPolicy {
  return {
    allowDirs: (flags.allowDir ?? []).map(realFolder),
    allowUrls: (flags.allowUrl ?? []).map(url => {
      if (/^https?:\/\/[^/]/i.test(url) && URL.canParse(url)) return url
      throw new PipelineError('usage', `--allow-url ${url}: expected an address such as http://127.0.0.1:8000`)
    }),
    secrets: new Map((flags.secret ?? []).map(text => secretIn(text, env))),
    allowCommands: flags.allowCommands === true,
  }
}

function realFolder(dir: string): string {
  try {
    return realpathSync(dir)
  } catch (error) {
    throw new PipelineError('usage', `--allow-dir ${dir}: ${messageOf(error)}`, { cause: error })
  }
}

function secretIn(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly [string, { readonly value: string }] {
  const [, name = '', variable = ''] = /^([A-Za-z0-9_.-]+)=(\w+)$/.exec(text) ?? []
  // The text may be a secret that was typed by mistake.
  if (name === '')
    throw new PipelineError('usage', '--secret: expected NAME=VARIABLE, the name of an environment variable')
  const value = env[variable]
  if (value === undefined || value === '')
    throw new PipelineError('usage', `--secret ${name}=${variable}: the environment has no ${variable}`)
  return [name, { value }]
}

/** Makes the command line of a worker, without the flags that limit its lifetime. */
export function workerWords(flags: Omit<WorkerFlags, 'idle' | 'jobs' | 'aliveFile'>, store: string): readonly string[] {
  const makeWords = (flag: string, value?: string | number): string[] =>
    value === undefined ? [] : [flag, String(value)]
  const makeWordsOfEach = (flag: string, values: readonly string[] = []): string[] =>
    values.flatMap(value => [flag, value])
  return [
    ...['worker', '--store', store],
    ...makeWordsOfEach('--include-path', flags.includePath),
    ...makeWordsOfEach('--plugin', flags.plugin),
    ...makeWords('--python', flags.python),
    ...(flags.allowNetwork === true ? ['--allow-network'] : []),
    ...makeWords('--python-seconds', flags.pythonSeconds),
    ...makeWords('--python-memory-mb', flags.pythonMemoryMb),
    ...makeWordsOfEach('--allow-dir', flags.allowDir),
    ...makeWordsOfEach('--allow-url', flags.allowUrl),
    ...makeWordsOfEach('--secret', flags.secret),
    ...(flags.allowCommands === true ? ['--allow-commands'] : []),
    ...makeWords('--max-jobs-per-model', flags.maxJobsPerModel),
    ...makeWordsOfEach('--model-args', flags.modelArgs),
    ...makeWords('--stages', flags.stages?.join(',')),
  ]
}

/** The command line of a worker that does the jobs of this server. */
export function workerArgs(flags: ServeFlags, store: string): readonly string[] {
  return [
    ...workerWords(flags, store),
    // Idle workers exit to free memory. A worker exits after many jobs, because users' code may leak memory.
    '--idle',
    '60',
    '--jobs',
    '200',
  ]
}
