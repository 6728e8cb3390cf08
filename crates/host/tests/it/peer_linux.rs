//! Which process is at the other end of a connection.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use tarsus_host::peer::{PeerOrigin, peer_origin};
use tarsus_host::process::{DetachedCommand, Env, LaunchArgs, launch};
use tarsus_host::processes;

#[test]
fn connection_that_no_process_holds_is_not_ordinary() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // The client sends and ends at once, as a process of an agent may do before anybody looks.
    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{}; echo request >&3", address.port());
    let client = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert!(client.status.success());
    let (mut connection, peer) = listener.accept().unwrap();
    let mut request = String::new();
    connection.read_to_string(&mut request).unwrap();
    assert_eq!((request.as_str(), peer_origin(peer, address.port())), ("request\n", PeerOrigin::Unknown));
}

#[tokio::test]
async fn only_connections_of_ordinary_processes_are_ordinary() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let sleeping = launch(&DetachedCommand {
        program: "/bin/sleep".into(),
        args: LaunchArgs::Each(vec!["600".into()]),
        env: Env::empty(),
        cwd: "/".into(),
        agent: Some("main".to_owned()),
        drain: Vec::new(),
    });
    let sleeping = processes::identity(sleeping.unwrap().pid()).unwrap();
    let ours = TcpStream::connect(address).unwrap();
    let peer = ours.local_addr().unwrap();
    assert_eq!(peer_origin(peer, address.port()), PeerOrigin::Ordinary);
    // No process holds these, so a process of the agent may have sent the socket to itself.
    assert_eq!(peer_origin(peer, address.port() ^ 1), PeerOrigin::Unknown);
    drop(ours);
    assert_eq!(peer_origin(peer, address.port()), PeerOrigin::Unknown);
    processes::kill(sleeping).unwrap();
}
