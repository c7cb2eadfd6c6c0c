/** Finds the jars of METEOR and SPICE, which are external Java programs, and declares the arguments that name them. */
import { z } from 'zod'
import { PipelineError } from '../../../../base/errors/errors.js'
import { expectFileSync, FileError } from '../../../../base/files/files.js'
import type { HelperPrograms } from '../../../../base/processes/helper-programs.js'
import type { MetricContext, MetricResource } from '../../define/define-metric.js'

export const jarResource = (program: string, variable: string, jar: string): MetricResource => ({
  argument: 'jar',
  variable,
  what: `${program} is`,
  howToGet: `${program} runs in Java: give the path of ${jar} (of the Python package pycocoevalcap)`,
  inspect(path, said) {
    refuseOther(path, said)
    return {}
  },
})

/** A Java program, and the environment that it sees. */
export interface JavaCommand {
  readonly java: string
  readonly jar: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Returns the programs of the plan. They end with it, and see no secret. */
export function takePrograms(context: MetricContext | undefined): HelperPrograms {
  if (context?.programs === undefined)
    throw new Error('internal error: a metric in Java without the programs of a plan')
  return context.programs
}

export const javaShape = ({ howToGet }: MetricResource) => ({
  jar: z.string({ error: howToGet }),
  java: z.string().default('java'),
})

/**
 * Rejects a path that is not a file, since Java would wait for a pipe for ever. A missing jar is reported by Java
 * itself when it is needed.
 */
function refuseOther(jar: string, said: string): void {
  try {
    expectFileSync(jar)
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== 'ENOTFILE') return
    throw new PipelineError('config', `${said} ${jar}: ${error.message}. Give the path of the jar`, { cause: error })
  }
}
