// Menus of the Application Manager, as content blocks of a message. Text never becomes a menu.
import type { MenuBlock, MenuChoice, Message } from "../../generated/protocol";
import { textOf } from "./transcript";

export type Menu = MenuBlock;

export const isNumber = ({ reply }: MenuChoice): boolean => /^\d+$/.test(reply);

/** Replies that leave the menu; shown apart. */
export const isExit = ({ reply }: MenuChoice): boolean => reply === "quit" || reply === "no";

/** The menu of a message and its text, without the text block before the menu, which repeats it for other clients. */
export function splitMenu(content: Message["content"]): { menu?: Menu; text: string } {
  const blocks = content ?? [];
  const at = blocks.findLastIndex(isMenu);
  const menu = blocks[at];
  if (!menu || !isMenu(menu)) return { text: textOf(blocks) };
  return { menu, text: textOf(blocks.filter((_, index) => index !== at && index !== at - 1)) };
}

function isMenu(block: NonNullable<Message["content"]>[number]): block is Menu & { type: "menu" } {
  return block.type === "menu" && "choices" in block && Array.isArray(block.choices) && "lines" in block;
}
