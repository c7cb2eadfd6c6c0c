/** `1 request`, `12 requests` */
export const counted = (requests: number): string => (requests === 1 ? '1 request' : `${requests} requests`)
