/** Declares an experiment tracker: a place outside of the store where people keep results of many runs. */
import { z } from 'zod'
import type { Environment } from '../config/settings.js'
import type { TrackedRun } from './tracked-run.js'

/** The part of a run that a tracker has already. */
export interface Kept {
  /** The tracker's own name of the run. */
  readonly id: string
  readonly where: string
  /** The digest of what was sent. */
  readonly digest: string
}

/** Everything that a tracker is given beside the run. */
export interface Sending<Settings> {
  readonly settings: Settings
  /** The digest of the results and the settings: equal for what would be sent again. */
  readonly digest: string
  readonly env: Environment
  readonly signal: AbortSignal
  /** The Python that has the tracker's package. */
  readonly python: string
  /** The earlier sending to there from this store. */
  readonly before?: Kept
  /** Sends what is there already once more. */
  readonly again: boolean
  /** Tells the user something that the tracker does not hold. */
  readonly note: (text: string) => void
}

/** The fate of a run, and its address at the tracker. */
export interface Sent {
  readonly id: string
  readonly where: string
  readonly state: 'sent' | 'updated' | 'unchanged'
}

export interface TrackerDefinition<Schema extends z.ZodType = z.ZodType> {
  readonly id: string
  readonly summary: string
  /** The settings by name, as they stand on a line. */
  readonly settings: Schema
  /** The names of the settings, for messages. */
  readonly names: readonly string[]
  /** The words for what each setting is expected to be, for messages. */
  readonly expectations: Readonly<Record<string, string | undefined>>
  /** The setting that a value without a name is: `mlflow=http://…`. */
  readonly main: string
  /** Whether settings with other names are passed on. */
  readonly isOpen: boolean
  /**
   * Names the destination. What was sent to one destination is not sent there again.
   *
   * @throws PipelineError if nothing can be sent with these settings
   */
  readonly place: (settings: z.output<Schema>, env: Environment) => string
  /** @throws PipelineError that says what happened and what to do */
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

/** An optional setting is described within. */
function findDescription(schema: z.core.$ZodType): string | undefined {
  const own = z.globalRegistry.get(schema)?.description
  return own ?? (schema instanceof z.ZodOptional ? findDescription(schema.unwrap()) : undefined)
}

/** A tracker whose settings are not known to the type system. */
export type AnyTracker = TrackerDefinition

/** A text; a number in a file is one, too. */
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

/** A whole number, also as a text. */
export const wholeSetting = z
  .union([z.int().min(0), z.string().regex(/^\d+$/).transform(Number)])
  .describe('a whole number, 0 or more')
