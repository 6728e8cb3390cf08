// Renders an answer's Markdown as elements, from the tree of state/chat/markdown.ts.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { CopyButton } from "../../components";
import { type MdBlock, type Span, markdown } from "../../state/chat/markdown";
import { t } from "../../words";

export function Markdown({ text, caret }: { text: string; caret?: boolean }) {
  const blocks = useMemo(() => markdown(text), [text]);
  return (
    <div class={caret ? "md writing" : "md"}>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { block: MdBlock }) {
  switch (block.type) {
    case "paragraph":
      return <p>{spans(block.spans)}</p>;
    case "heading": {
      // Below the headings of the page itself.
      const level = Math.min(6, block.level + 2);
      return (
        <p class={`h h${block.level}`} role="heading" aria-level={level}>
          {spans(block.spans)}
        </p>
      );
    }
    case "code":
      return <CodeBlock {...block} />;
    case "list":
      return <List {...block} />;
    case "quote":
      return <blockquote>{blocks(block.blocks)}</blockquote>;
    case "table":
      return <MdTable {...block} />;
    case "rule":
      return <hr />;
  }
}

const blocks = (of: readonly MdBlock[]): ComponentChildren => of.map((block, index) => <BlockView key={index} block={block} />);

function List({ items, start }: MdBlock & { type: "list" }) {
  const lines = items.map((item, index) => <li key={index}>{item.length === 1 && item[0]?.type === "paragraph" ? spans(item[0].spans) : blocks(item)}</li>);
  return start === undefined ? <ul>{lines}</ul> : <ol start={start}>{lines}</ol>;
}

function CodeBlock({ language, text }: MdBlock & { type: "code" }) {
  return (
    <figure class="codeblock">
      <figcaption>
        <span>{language || t("chat.code")}</span>
        <CopyButton text={text} label={t("chat.copyCode")} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}

function MdTable({ head, rows, align }: MdBlock & { type: "table" }) {
  return (
    <div class="mdtable" tabIndex={0} role="group">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col" class={align[index]}>
                {spans(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={align[column]}>
                  {spans(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function spans(of: readonly Span[]): ComponentChildren {
  return of.map((span, index) => <SpanView key={index} span={span} />);
}

function SpanView({ span }: { span: Span }) {
  switch (span.type) {
    case "text":
      return <>{span.text}</>;
    case "code":
      return <code>{span.text}</code>;
    case "strong":
      return <strong>{spans(span.spans)}</strong>;
    case "em":
      return <em>{spans(span.spans)}</em>;
    case "del":
      return <del>{spans(span.spans)}</del>;
    case "break":
      return <br />;
    case "link":
      return (
        <a href={span.href} target="_blank" rel="noopener noreferrer">
          {spans(span.spans)}
        </a>
      );
  }
}
