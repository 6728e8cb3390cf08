// The gateway's words stand inside of sentences of the terminal; on the page they are sentences of their own.

export const sentence = (words: string): string =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?。]$/.test(words) ? "" : "."}`;
