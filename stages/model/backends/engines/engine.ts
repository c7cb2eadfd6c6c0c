import type { BackendDefinition } from '../../define-backend.js'
import type { ModelArgs } from '../../model-args.js'
import type { Flags } from './flags.js'
import type { ServedModel } from './served-model.js'

/** A serving engine: how it is attached, and how it is started. */
export interface Engine {
  readonly id: string
  readonly aliases: readonly string[]
  readonly summary: string
  readonly accepts: BackendDefinition['accepts']
  readonly concurrency: BackendDefinition['concurrency']
  /** The environment variable with the address of one that runs. */
  readonly baseUrlVariable: string
  /** The environment variable with the key: one that the program itself reads, where it reads any. */
  readonly keyVariable: string
  /** An address as it is written. */
  readonly example: string
  /** Answers 200 when requests are served, 503 while the model is loaded. */
  readonly healthPath: string
  /** The program's own words, before all flags. */
  readonly program: readonly [string, ...string[]]
  /** How the program is installed. */
  readonly install: string
  readonly flags: Flags
  /** What of the arguments is written in another way than as flags of their own: given back as values of the flags. */
  readonly rewrite?: (args: ModelArgs, concurrency: number | undefined) => ModelArgs
  /** The words that name the model and where to listen. */
  readonly serve: (place: ServingPlace) => readonly string[]
}

/** How to come by an engine's program. */
export const installHint = ({ install, example }: Pick<Engine, 'install' | 'example'>): string =>
  `Install it (${install}), give executable=PATH, or attach one that runs with base_url=${example}`

/** What the program is told of the model, and where it is to listen. */
export interface ServingPlace {
  readonly model: ServedModel
  /** Path or Hub name. */
  readonly source: string
  /** What requests call it. */
  readonly name: string
  readonly port: string
}
