/**
 * The numbers of the scheduler's limits, each with its unit and its reason. Times are milliseconds. Shares are from 0 to
 * 1. Simulations of servers (tests/stages/model/schedule/limits) and the bench found the values for which no other
 * reason is given.
 */

/** The limiter: pauses, probes and servers that accept nothing. */
export const limiterRules = {
  /** Rate limits in a row. With `closedMs`, fewer may be a window of a minute that is used up. */
  closedAfter: 6,
  /** The time without an answer after which a server counts as closed. A window of a minute is shorter. */
  closedMs: 90_000,
  /** A probe without an answer is followed by another one after this time, because its connection may be dead. */
  probeMs: 5_000,
  /** If nothing was accepted for this long, the server counts over a window of many seconds. */
  longDroughtMs: 3_000,
  /** The time in which the slots are filled at the start. A server may limit a burst that it accepts spread out. */
  easeMs: 100,
  /** The maximum of that time after a pause, so that no throughput is lost. */
  longestEaseMs: 500,
} as const

/** The growth of the number of slots. */
export const growthRules = {
  /** The minimum duration of a round. Shorter rounds measure noise. */
  roundMs: 1_000,
  /** Added slots must bring this share of the answers that they would bring on an idle server. */
  worthwhile: 0.25,
  /** Measurements with this factor of slots more are compared. Smaller factors are noise. */
  comparedFactor: 1.25,
  /** Consecutive rounds without a gain after which added slots are given up. One may be chance. */
  doubtfulRounds: 2,
  /** A server that gives this factor of answers more than when growth ended has become faster, so more is tried. */
  fasterFactor: 1.3,
  /** A round with a larger share of server errors does not lead to more slots. */
  troubledShare: 0.1,
  /** A larger share of timeouts shows that the server cannot keep up. */
  drowningShare: 0.3,
  /** The share of the slots that is kept then, as in CUBIC. */
  drownedShare: 0.7,
  /** Up to this factor of the proven number, a rate limit is attributed to the added slots. */
  smallStep: 1.1,
} as const

/** The rules of a search for a limit. Shares are relative to the present value. */
export interface SearchRules {
  readonly min: number
  readonly max: number
  /** The first step beyond the last rejected value. Each further step is twice as long. */
  readonly firstStep: number
  /** The minimum step, in units of the value. */
  readonly leastStep: number
  /** The share of the rejected value up to which the search goes before it rests. */
  readonly near: number
  /** The search rests when it is this close to that value. */
  readonly tolerance: number
  /** The maximum step towards the rejected value. */
  readonly stride: number
  /** The maximum step beyond it. */
  readonly longestStep: number
  /** The maximum step towards the rejected value while it is far off. */
  readonly farStride: number
  /** The minimum rest after a rejection in milliseconds. It doubles while rejections come at the same value. */
  readonly restMs: number
  readonly longestRestMs: number
  /** The share of the way to the highest value before that a step takes when a higher value is accepted again. */
  readonly leap: number
}

/** The search for the number of slots. */
export const slotSearch = {
  firstStep: 0.05,
  leastStep: 1,
  near: 1,
  tolerance: 0.05,
  stride: 0.125,
  farStride: 0.3,
  longestStep: 0.5,
  restMs: 12_000,
  longestRestMs: 60_000,
  leap: 1,
} as const

/** The search for the rate, in requests per second. */
export const paceSearch: SearchRules = {
  min: 0.05,
  max: 100_000,
  firstStep: 0.03,
  leastStep: 0,
  near: 0.98,
  tolerance: 0.02,
  stride: 0.25,
  farStride: 1,
  longestStep: 0.3,
  restMs: 12_000,
  longestRestMs: 60_000,
  leap: 0.5,
}

/** Numbers that both searches share. */
export const searchRules = {
  /** The time for which a higher accepted value is remembered. Limits that change daily or hourly last longer. */
  memoryMs: 120_000,
  /** Rejected values within this share of each other count as the same limit. */
  sameShare: 0.4,
  /** Rests in multiples of the pause after a rate limit, because a failed try costs a whole pause. */
  restsPerPause: { likely: 50, hopeful: 16, sure: 75 },
  /** The rest after a guess, which is soon tested. */
  guessRestMs: 1_000,
  /** The maximum rest, so that a raised limit is found within minutes. */
  longestPauseRestMs: 300_000,
} as const

/** Servers that cannot be reached. */
export const outageRules = {
  /** The wait before the first probe. It doubles with each probe that fails to connect. */
  firstWaitMs: 250,
  /** The maximum wait, so that a server that is back is noticed within this time. */
  longestWaitMs: 5_000,
} as const

/** Rate limits that come at any rate, for example from a server that others overload. */
export const overloadRules = {
  /** This many rate limits soon after one another are independent of the rate. */
  rateLimits: 4,
  /** The last one must come at this share of the accepted rate. That rate is an average that includes pauses. */
  share: 0.7,
  /** Two rate limits are soon after one another within this time, */
  soonMs: 10_000,
  /** or with at most this many answers in between. */
  soonAnswers: 60,
  /** The time for which such rate limits lead only to waits. */
  firstMs: 30_000,
  /** The factor by which that time grows each time. */
  longerFactor: 4,
  /** The number of latest requests that are counted, */
  toleratedRequests: 60,
  /** The share of them that may be limited. If more are limited, there is a rate limit after all. */
  toleratedShare: 0.7,
} as const

/** The pace of requests. */
export const paceRules = {
  /** The tokens of a request before one is known. */
  tokens: 500,
  /** A delay up to this time is made up for, because timers are late. Longer ones are lost. */
  catchUpMs: 25,
  /** The pause after a rate limit without a stated wait. It doubles. */
  pauseMs: 250,
  /** The maximum of such a pause. */
  longestPauseMs: 5_000,
  /** The share of a rate to keep when it is rejected after it had held, by the number of consecutive times. */
  retreats: [0.97, 0.9, 0.75, 0.5],
  /** The minimum duration of a round. Most servers count by the second. */
  roundMs: 1_000,
  /** The time within which rate limits arrive, even if answers take long. */
  arrivalMs: 300,
  /** If less than this share of a rate was sent, the rate was not used up. */
  usedShare: 0.9,
  /** A rate that was sent for this long has covered a whole window of a server that counts by the second. */
  provenMs: 2_000,
  /** A pause of this length ends a window of many seconds. */
  longPauseMs: 3_000,
  /** An average over a shorter time means nothing, because an initial burst counts too much. */
  leastSpanMs: 250,
  /** The time for which a lower rate can be taken back. */
  takeBackMs: 10_000,
  /** The rest after a limit with a window of many seconds, so that it is tested only once a window. */
  longWindowRestMs: 90_000,
} as const

/** Limits that a server states. */
export const allowanceRules = {
  /**
   * Limits with a shorter reset are ignored. The server's numbers are then outdated when they arrive, and often rounded
   * to whole seconds, so that half of the limit would stay unused. The rate is then found from rate limits.
   */
  outdatedMs: 2_000,
} as const

/** The decision between slots and rate. */
export const causeRules = {
  /** The time before a rate limit in which requests are considered, unless a pause has ended since. */
  lookBackMs: 2_000,
  /** The time for which an accepted number of requests in flight is evidence. */
  memoryMs: 30_000,
  /** Below this number of slots, a missing slot costs more than another rate limit. */
  few: 12,
  /** If more requests than this were answered with more slots than before, the added slots are not the cause. */
  mostBeyond: 8,
  /** A server may accept this few requests at one moment. */
  lone: 3,
} as const

/** The guess from the first rate limit. */
export const guessRules = {
  /** The share to keep of a rate that holds. Whole windows of the server must fit, and timers are not exact. */
  margin: 0.985,
  /** The share to keep of a known limit that was never reached. Late requests are made up for in the next second. */
  sureMargin: 0.975,
  /** The share to keep of the first accepted second, because it may contain the maximum of two windows. */
  firstShare: 0.75,
  /** Fewer requests at once do not show how many come in a second. */
  leastCount: 12,
  /** After this time, the number of requests in a second is known. */
  longMs: 500,
  /** A round number this large is not chance, however soon it was reached, unless all came at once. */
  manyAtOnce: 100,
  /** All came at once within this time. */
  burstMs: 50,
  /** If more requests than this may have come before or after, some round number fits by chance. */
  unsure: 2,
  /** Round numbers that are smaller are too frequent. */
  leastRound: 20,
  /** A rate that is soon rejected again falls to at most this share. */
  slowest: 0.9,
} as const

/** The history of requests. */
export const sendRules = {
  /** The number of requests that are kept. */
  most: 4_096,
  /** Requests sent within this time may arrive in any order, over several connections. */
  atOnceMs: 10,
  /** The maximum number of requests that are examined to count those in progress. */
  nearest: 1_024,
  /** Requests within such a short time may be limited as a burst. */
  burstMs: 100,
  /** This many answers elsewhere are not chance. */
  leastBorne: 3,
  /** An answer may be in transit for this long while the server accepts the next request. */
  onTheWayMs: 5,
} as const

/** The rules of a limit that several processes share. */
export const sharedRules = {
  /** The interval of reports. */
  reportMs: 1_000,
  /** The interval of a process that is alone. */
  aloneMs: 2_000,
  /** The time over which accepted requests are counted before the first rate follows from them. */
  firstLookMs: 2_000,
  /** A process that was silent for this long has left. */
  silentMs: 6_000,
  /** The share of a rate to keep when it is rejected. */
  keep: 0.96,
  /** The first and the least step upwards, as a share of the rate. */
  firstStep: 0.5,
  leastStep: 0.015,
  /** A rate counts as used if this share of it was sent. */
  usedShare: 0.9,
  /** The shortest time between two steps while these are large. */
  roundMs: 2_500,
  firstRestMs: 15_000,
  longestRestMs: 240_000,
  /** The time for which rejections after a change are due to the rate before it. */
  settleMs: 3_000,
  /** The least part of a process, as a share of its fair part. */
  leastShare: 0.1,
} as const
