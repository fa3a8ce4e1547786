unit Shop.Cart;

{$mode objfpc}

interface

uses
  Classes;

type
  TCart = class;
  TKind = (kSmall, kLarge);

  { What is paid. }
  TPrice = record
    Cents: Integer;
    function Euros: Double;
  end;

  IShape = interface(IInterface)
    ['{11111111-2222-3333-4444-555555555555}']
    function Area: Double;
  end;

  ECart = class(Exception);

  // A cart.
  TCart = class(TInterfacedObject, IShape)
  private
    FItems: TStringList;
  type
    TLine = class
      procedure Clear;
    end;
  public
    constructor Create(AOwner: string);
    { Adds an item. }
    procedure Add(const Item: string); virtual;
    function Area: Double;
    property Items: TStringList read FItems;
  end;

  TCartHelper = class helper for TCart
    procedure Help;
  end;

procedure Global(A: Integer);

implementation

uses
  SysUtils;

function TPrice.Euros: Double;
begin
  Result := Cents / 100;
end;

constructor TCart.Create(AOwner: string);
begin
  FItems := TStringList.Create;
end;

{ Keeps the order. }
procedure TCart.Add(const Item: string);
var
  I: Integer;

  procedure Log;
  begin
  end;

begin
  Log;
end;

procedure TCart.TLine.Clear;
begin
end;

procedure Global(A: Integer);
begin
end;

initialization
  Global(1);
end.
