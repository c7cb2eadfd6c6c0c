/** A program of another language that serves a plan, such as a metric's reference in Java. */
export interface HelperProgram {
  /** Ends the program. A later question starts it again. */
  close(): void
}

/** Keeps the helper programs of one plan. The plan owns them and must call close(). */
export class HelperPrograms {
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #programs = new Map<string, HelperProgram>()

  /** @param env the environment of the programs, without secrets */
  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env
  }

  /** Returns the program with this name and makes it if there is none. The name must contain its kind, because a program of another kind cannot take its place. */
  find<Program extends HelperProgram>(
    name: string,
    make: (env: Readonly<Record<string, string | undefined>>) => Program,
  ): Program {
    const program = (this.#programs.get(name) as Program | undefined) ?? make(this.#env)
    this.#programs.set(name, program)
    return program
  }

  /** Ends all programs. */
  close(): void {
    for (const program of this.#programs.values()) program.close()
    this.#programs.clear()
  }
}
