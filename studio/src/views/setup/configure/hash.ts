// The first digits of a hash, as people compare them.
export const shortHash = (hash: string | undefined): string | undefined => hash && `${hash.slice(0, 8)}…`;
