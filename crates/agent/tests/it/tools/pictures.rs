//! `read`: pictures are shown as what their bytes are.

use serde_json::json;
use tarsus_protocol::Block;
use tarsus_protocol::message::Image;

use crate::tools::scene::{Start, done, failed};

#[tokio::test]
async fn a_picture_is_a_block_of_its_own_whatever_its_name_is() {
    let start = Start::new();
    start.note("photo.txt", b"\x89PNG\r\n\x1a\n\0\0");
    start.note("text.png", "not a picture\n");
    let scene = start.open();
    let outcome = scene.call("read", json!({"path": "photo.txt"})).await;
    let image = Image { data: "iVBORw0KGgoAAA==".to_owned(), mime_type: "image/png".to_owned() };
    let told = Block::text("photo.txt is a picture (image/png, 10 bytes)");
    assert_eq!(outcome.content, [told, Block::Image(image)]);
    assert_eq!(done(&scene.call("read", json!({"path": "text.png"})).await), "not a picture\n");
}

#[tokio::test]
async fn a_picture_that_is_too_large_is_refused_without_being_read() {
    let start = Start::new();
    start.note("big.gif", b"GIF89a");
    let file =
        std::fs::OpenOptions::new().write(true).open(start.path(".openclaw/workspace/big.gif")).unwrap();
    file.set_len(3_750_001).unwrap();
    let scene = start.open();
    let told = "big.gif is a picture of 3750001 bytes; the largest that is shown has 3750000";
    assert_eq!(failed(&scene.call("read", json!({"path": "big.gif"})).await), told);
    file.set_len(3_750_000).unwrap();
    assert_eq!(scene.call("read", json!({"path": "big.gif"})).await.content.len(), 2);
}
