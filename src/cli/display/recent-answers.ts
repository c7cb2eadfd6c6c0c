/** Answers of the last five to ten seconds: those of the present stretch of five, and of the one before. */
export interface RecentAnswers {
  /** Monotonic milliseconds when the present stretch began. */
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

/** Answers a second of late; undefined before any time has passed. */
export function recentRate({ since, answers, before }: RecentAnswers, now: number): number | undefined {
  const from = before?.since ?? since
  return now <= from ? undefined : ((answers + (before?.answers ?? 0)) * 1000) / (now - from)
}
