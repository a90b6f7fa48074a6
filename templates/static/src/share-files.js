/* Files of pictures that say how large they are. */

/**
 * A PNG that says how large it is, as programs that lay out papers ask.
 * @type {(blob: Blob, dotsAnInch: number) => Promise<Blob>}
 */
export async function sized(blob, dotsAnInch) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const chunk = new DataView(new ArrayBuffer(21));
  const dots = Math.round(dotsAnInch / 0.0254); // a metre
  [9, 0x70485973, dots, dots].forEach((value, i) => chunk.setUint32(4 * i, value));
  chunk.setUint8(16, 1);
  let sum = 0xffffffff; // CRC-32
  for (let i = 4; i < 17; i++) {
    sum ^= chunk.getUint8(i);
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  chunk.setUint32(17, ~sum >>> 0);
  return new Blob([bytes.slice(0, 33), chunk, bytes.slice(33)], { type: "image/png" }); // behind the head
}

/**
 * A page of PDF that is one picture, so many centimetres wide.
 * @type {(canvas: HTMLCanvasElement, cm: number) => Promise<Blob>}
 */
export async function pdfOf(canvas, cm) {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const dots = new Uint8Array(width * height * 3).map((_, i) => data[Math.floor(i / 3) * 4 + (i % 3)]);
  const packed = await new Response(new Blob([dots]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer();
  const wide = (cm / 2.54) * 72;
  const high = (wide * height) / width;
  const draw = `${wide} 0 0 ${high} 0 0 cm /I Do`;
  const objects = [
    ["<</Type/Catalog/Pages 2 0 R>>"],
    ["<</Type/Pages/Kids[3 0 R]/Count 1>>"],
    [`<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${wide} ${high}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>`],
    [`<</Length ${draw.length}>>stream\n${draw}\nendstream`],
    [`<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode/Length ${packed.byteLength}>>stream\n`, packed, "\nendstream"],
  ];
  let blob = new Blob(["%PDF-1.4\n"]);
  const places = objects.map((parts, i) => {
    const at = blob.size;
    blob = new Blob([blob, `${i + 1} 0 obj\n`, ...parts, "\nendobj\n"]);
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const end = `xref\n0 6\n0000000000 65535 f \n${places.join("")}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${blob.size}\n%%EOF\n`;
  return new Blob([blob, end], { type: "application/pdf" });
}
