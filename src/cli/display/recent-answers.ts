/** Counts answers of the last five to ten seconds, in the current interval of five seconds and the previous one. */
export interface RecentAnswers {
  /** Monotonic milliseconds at which the current interval began. */
  readonly since: number
  readonly answers: number
  readonly before?: { readonly since: number; readonly answers: number }
}

const stretchMs = 5_000

export function noteAnswers(recent: RecentAnswers | undefined, answers: number, now: number): RecentAnswers {
  if (recent === undefined) return { since: now, answers }
  if (now - recent.since < stretchMs) return { ...recent, answers: recent.answers + answers }
  return { since: now, answers, before: { since: recent.since, answers: recent.answers } }
}

/** Recent answers per second, or undefined before any time has passed. */
export function recentRate({ since, answers, before }: RecentAnswers, now: number): number | undefined {
  const from = before?.since ?? since
  return now <= from ? undefined : ((answers + (before?.answers ?? 0)) * 1000) / (now - from)
}
