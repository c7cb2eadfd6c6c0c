/** Defines the interface of experiment trackers, to which results of runs are sent. */
import { z } from 'zod'
import type { Environment } from '../config/settings.js'
import type { TrackedRun } from './tracked-run.js'

/** A run that a tracker already has. */
export interface TrackerRun {
  /** The tracker's id of the run. */
  readonly id: string
  readonly where: string
  /** The digest of what was sent. */
  readonly digest: string
}

/** The context of sending a run. */
export interface Sending<Settings> {
  readonly settings: Settings
  /** The digest of the results and the settings, which is equal for equal content. */
  readonly digest: string
  readonly env: Environment
  readonly signal: AbortSignal
  /** The Python interpreter with the tracker's package. */
  readonly python: string
  /** The last result that this store sent to the destination. */
  readonly before?: TrackerRun
  /** True to send results again that the tracker already has. */
  readonly again: boolean
  /** Notes a fact that the tracker does not store. */
  readonly note: (text: string) => void
}

/** The outcome of sending a run, and its address at the tracker. */
export interface Sent {
  readonly id: string
  readonly where: string
  readonly state: 'sent' | 'updated' | 'unchanged'
}

export interface TrackerDefinition<Schema extends z.ZodType = z.ZodType> {
  readonly id: string
  readonly summary: string
  /** The schema of the settings by name. */
  readonly settings: Schema
  /** The names of the settings, for messages. */
  readonly names: readonly string[]
  /** The description of each setting's expected value, for messages. */
  readonly expectations: Readonly<Record<string, string | undefined>>
  /** The setting that a value without a name sets: `mlflow=http://…`. */
  readonly main: string
  /** True if unknown settings are passed on. */
  readonly isOpen: boolean
  /**
   * Names the destination. Results are not sent twice to one destination.
   *
   * @throws PipelineError if nothing can be sent with these settings
   */
  readonly place: (settings: z.output<Schema>, env: Environment) => string
  /** Sends a run. @throws PipelineError that says what happened and what to do */
  readonly send: (run: TrackedRun, sending: Sending<z.output<Schema>>) => Promise<Sent>
}

/** Declares a tracker, so that its settings have the types of its schema. */
export function defineTracker<Schema extends z.ZodObject>(
  tracker: Omit<TrackerDefinition<Schema>, 'names' | 'expectations' | 'isOpen'> & {
    readonly main: keyof z.output<Schema> & string
  },
): TrackerDefinition<Schema> {
  const { catchall } = tracker.settings.def
  return {
    ...tracker,
    names: Object.keys(tracker.settings.shape),
    expectations: Object.fromEntries(
      Object.entries<z.core.$ZodType>(tracker.settings.shape).map(([name, schema]) => [name, findDescription(schema)]),
    ),
    isOpen: catchall !== undefined && !(catchall instanceof z.ZodNever),
  }
}

/** Finds the description of a setting. An optional setting has it on the inner schema. */
function findDescription(schema: z.core.$ZodType): string | undefined {
  const own = z.globalRegistry.get(schema)?.description
  return own ?? (schema instanceof z.ZodOptional ? findDescription(schema.unwrap()) : undefined)
}

/** A text. A number in a file counts as a text. */
export const textSetting = z.union([z.string().min(1), z.number().transform(String)]).describe('a text')

/** `true` or `false`, also as Python writes them. */
export const yesNoSetting = z
  .union([
    z.boolean(),
    z
      .string()
      .regex(/^(true|false)$/i)
      .transform(text => text.toLowerCase() === 'true'),
  ])
  .describe('true or false')

/** A whole number, possibly in the form of a text. */
export const wholeSetting = z
  .union([z.int().min(0), z.string().regex(/^\d+$/).transform(Number)])
  .describe('a whole number, 0 or more')
