// A picture of a message, drawn onto a canvas: the CSP allows no `data:` or `blob:` address.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ImageBlock } from "../../generated/protocol";
import { Icon } from "../../components";
import { t } from "../../words";

const WIDEST = 360;
const HIGHEST = 270;
/** Larger ones are named, not drawn. */
const LONGEST = 12_000_000;

export function Picture({ data, mimeType }: ImageBlock) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [fails, fail] = useState(data.length > LONGEST);
  useEffect(() => {
    let isWanted = data.length <= LONGEST;
    if (!isWanted) return;
    decoded(data, mimeType).then(
      (picture) => {
        if (isWanted && canvas.current) paint(canvas.current, picture);
        picture.close();
      },
      () => isWanted && fail(true),
    );
    return () => {
      isWanted = false;
    };
  }, [data]);
  if (fails) {
    return (
      <p class="meta">
        <Icon name="attach" size="s" /> {t("chat.picture")}
      </p>
    );
  }
  return <canvas ref={canvas} class="picture" width={WIDEST / 2} height={HIGHEST / 2} role="img" aria-label={t("chat.picture")} />;
}

async function decoded(data: string, type: string): Promise<ImageBitmap> {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  return createImageBitmap(new Blob([bytes], { type }));
}

function paint(canvas: HTMLCanvasElement, picture: ImageBitmap): void {
  const scale = Math.min(1, WIDEST / picture.width, HIGHEST / picture.height);
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
}
