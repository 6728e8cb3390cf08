//! Passes connections on to a port of this machine, so that a test can talk to a gateway from any process.
//!
//! Writes its own port and process id to a file, and runs until it is killed.
#![forbid(unsafe_code)]

use std::net::{Shutdown, TcpListener, TcpStream};
use std::{env, fs, io, process, thread};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().collect();
    let [_, port, file] = &arguments[..] else { return Err(io::Error::other("PORT FILE")) };
    let port: u16 = port.parse().map_err(io::Error::other)?;
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let ready = format!("{} {}", listener.local_addr()?.port(), process::id());
    fs::write(format!("{file}.new"), ready)?;
    fs::rename(format!("{file}.new"), file)?;
    loop {
        let (client, _) = listener.accept()?;
        let gateway = TcpStream::connect(("127.0.0.1", port))?;
        pass_on(client.try_clone()?, gateway.try_clone()?);
        pass_on(gateway, client);
    }
}

/// Copies until either side closes. An error of one side ends the other.
fn pass_on(mut from: TcpStream, mut to: TcpStream) {
    thread::spawn(move || {
        io::copy(&mut from, &mut to).ok();
        to.shutdown(Shutdown::Write).ok();
    });
}
