/** Declares the environment variables that the program reads. docs/cli/environment.md has the same table. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import type { Environment } from './settings.js'

interface Variable {
  /** The description in docs/cli/environment.md. */
  readonly docs: string
  /** When the variable is read: with the settings of a run (then `env` of a configuration file may set it), or at the program's start. */
  readonly readAt: 'run' | 'start'
}

const ofRun = (docs: string): Variable => ({ docs, readAt: 'run' })
const ofStart = (docs: string): Variable => ({ docs, readAt: 'start' })

/** The variables by name. Model backends declare their own (`OPENAI_API_KEY`, …), which docs/models/ lists. */
export const variables = {
  PIPELINE_STORE: ofRun('the store, if `--store` is not given'),
  PIPELINE_PYTHON: ofRun('the Python that runs tasks and models in Python, if `--python` is not given (`python3`)'),
  PIPELINE_PYTHON_ENV: ofRun(
    'names of further variables, separated by commas, that [Python code of tasks](../tasks/python.md) may see',
  ),
  PIPELINE_CODE_TIMEOUT: ofRun(
    "seconds that a task's functions and patterns may take for one doc before it fails (30); see [how](../decisions/users-code.md)",
  ),
  PIPELINE_MAX_RECORD_MB: ofRun('maximum size of one record of a text file, in megabytes (64)'),
  PIPELINE_HUB_CACHE: ofRun('folder of downloaded and unpacked files; by default `hub` in the store'),
  PIPELINE_MEDIA_ROOT: ofRun('folder in which media are searched'),
  LMMS_EVAL_MEDIA_ROOT: ofRun('the same, if `PIPELINE_MEDIA_ROOT` is not set'),
  PIPELINE_MEDIA_HOSTS: ofRun(
    '`public`: addresses in rows and tasks must be those of public servers, and are read without a proxy; `any` (default)',
  ),
  HF_ENDPOINT: ofRun('a mirror of the Hub'),
  HF_TOKEN: ofRun('token for gated and private repositories; sent only to the endpoint, never stored or shown'),
  HF_HUB_OFFLINE: ofRun('`1`: use only downloaded files, with a note'),
  HF_HOME: ofRun('folder in which lmms-eval has unpacked media (in its subfolder `dataset_kwargs.cache_dir`)'),
  MODEL_VERSION: ofRun(
    'the judge model of tasks in Python, if `--judge-model` is not given; also `GPT_EVAL_MODEL_NAME`, `JUDGE_MODEL_VERSION`, `JUDGE_MODEL_NAME`; see [judges](../tasks/python.md#judge-models)',
  ),
  GPT_EVAL_MODEL_NAME: ofRun('see `MODEL_VERSION`'),
  JUDGE_MODEL_VERSION: ofRun('see `MODEL_VERSION`'),
  JUDGE_MODEL_NAME: ofRun('see `MODEL_VERSION`'),
  API_TYPE: ofRun('the server of that judge: `openai` (default), `async_openai`, `local`, `azure` or `async_azure`'),
  OPENAI_API_URL: ofRun(
    'the address of that judge; also `JUDGE_BASE_URL`, `LLM_JUDGE_URL`, and `AZURE_ENDPOINT` for Azure',
  ),
  JUDGE_BASE_URL: ofRun('see `OPENAI_API_URL`'),
  LLM_JUDGE_URL: ofRun('see `OPENAI_API_URL`'),
  AZURE_ENDPOINT: ofRun('see `OPENAI_API_URL`'),
  JUDGE_API_KEY: ofRun('the key of that judge, if `OPENAI_API_KEY` is not meant'),
  AZURE_API_KEY: ofRun('the same on Azure, if `AZURE_OPENAI_API_KEY` is not meant'),
  MLFLOW_TRACKING_URI: ofRun('the server of `--track mlflow`, if the line names none; see [trackers](../tracking.md)'),
  MLFLOW_EXPERIMENT_NAME: ofRun('its experiment, if the line names none (`pipeline`)'),
  MLFLOW_TRACKING_USERNAME: ofRun('the user of that server'),
  MLFLOW_TRACKING_PASSWORD: ofRun("the user's password"),
  MLFLOW_TRACKING_TOKEN: ofRun('or a token for it'),
  TRACKIO_DIR: ofRun('the folder of `--track trackio`, which the package Trackio reads'),
  WANDB_MODE: ofRun(
    'the mode of `--track wandb`, such as `offline`, which the package wandb reads; the line may name one',
  ),
  WANDB_BASE_URL: ofRun('its server (`https://api.wandb.ai`)'),
  SWANLAB_MODE: ofRun(
    'the mode of `--track swanlab`, such as `local`, which the package swanlab reads; the line may name one',
  ),
  SWANLAB_API_HOST: ofRun('its server (`https://api.swanlab.cn`)'),
  METEOR_JAR: ofRun('path of `meteor-1.5.jar`, for METEOR (needs Java)'),
  SPICE_JAR: ofRun('path of `spice-1.0.jar`, for SPICE (needs Java)'),
  NLTK_DATA: ofRun("folder of NLTK's data, for WUPS of free-form answers"),
  ZHCONV_TABLE: ofRun("path of zhconv's `zhcdict.json`, to normalize Cantonese as lmms-eval does"),
  HTTPS_PROXY: ofRun('the proxy of requests and downloads; also in lower case'),
  HTTP_PROXY: ofRun('the same, for addresses with `http:`'),
  ALL_PROXY: ofRun('the same, where no other is set'),
  NO_PROXY: ofRun('hosts that are reached without the proxy'),
  PATH: ofRun('where programs such as engines and `ffmpeg` are found'),
  PIPELINE_AUTHOR: ofStart(
    "who labels answers (`pipeline labels`), if `--author` is not given; else git's `user.name`, else the login name",
  ),
  PIPELINE_DEBUG: ofStart('`1`: show the stack trace of an internal error'),
  NO_COLOR: ofStart('turns colours off'),
  FORCE_COLOR: ofStart('turns colours on; `0` turns them off'),
  TERM: ofStart('`dumb`: no colours and no live display'),
  CI: ofStart('no live display'),
  DISPLAY: ofStart('`pipeline ui` opens a browser only where this or `WAYLAND_DISPLAY` is set (Linux)'),
  WAYLAND_DISPLAY: ofStart('see `DISPLAY`'),
} as const satisfies Readonly<Record<string, Variable>>

export type VariableName = keyof typeof variables

/** Returns the value of a variable, or undefined if it is not set or empty. */
export function variable(env: Environment, name: VariableName): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

/** Returns the folder of the Hugging Face libraries. */
export const huggingFaceHome = (env: Environment): string =>
  resolve(variable(env, 'HF_HOME') ?? join(homedir(), '.cache', 'huggingface'))

/** Returns the environment of this process. Only this function reads `process.env`. Other code gets the environment as a value. */
export const processEnvironment = (): Environment => process.env

/** Returns why `env` of a configuration file cannot set a variable, or undefined if it can. */
export function problemInFile(name: string): string | undefined {
  if (!name.startsWith('PIPELINE_')) return undefined
  if (!Object.hasOwn(variables, name)) return `the program has no variable ${name}. docs/cli/environment.md lists them`
  const { readAt }: Variable = variables[name as VariableName]
  if (readAt !== 'start') return undefined
  return `${name} is read before the file is. Set it in the environment of the command: ${name}=… pipeline …`
}

/** Returns the time limit of users' code for one doc, in seconds. @throws PipelineError if that is not a number */
export const codeTimeout = (env: Environment): number | undefined =>
  numberIn(env, 'PIPELINE_CODE_TIMEOUT', {
    least: 0.1,
    most: 86_400,
    what: 'the seconds that code of a task may take for one doc',
  })

/** Returns the maximum size of one record of a text file, in megabytes. @throws PipelineError if that is not a number */
export const recordMegabytes = (env: Environment): number | undefined =>
  numberIn(env, 'PIPELINE_MAX_RECORD_MB', {
    least: 1,
    most: 400,
    what: 'the megabytes that one record of a text file may have',
  })

function numberIn(
  env: Environment,
  name: VariableName,
  { least, most, what }: { readonly least: number; readonly most: number; readonly what: string },
): number | undefined {
  const text = variable(env, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (value >= least && value <= most) return value
  throw new PipelineError('usage', `${name} is ${JSON.stringify(text)}: give ${what}, from ${least} to ${most}`)
}
